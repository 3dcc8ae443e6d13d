/** The editor for a scheme: written, pasted or read from a file, checked while typing, and stored on request. */
import { t } from "../i18n/index.js";
import { html, useFocusBack, visible } from "../ui/html.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { asError, part } from "../ui/fetched.js";
import { Refusal } from "../ui/frame.js";
import { Source } from "../ui/source.js";
import { Preview } from "./preview.js";

// Schemes to begin with.

const ERRORS = `error_types:
  - name: reasoning
    subtypes: [logical_error, factual_error]
  - execution
severities:
  - {name: minor, weight: -1}
  - {name: major, weight: -5}
`;

/** Example texts, by kind of scheme. */
export const EXAMPLES = {
  trajectory_eval: `annotation_type: trajectory_eval
name: my_steps
description: Judge each step of the run.
correctness_options: [correct, incorrect, partially_correct]
${ERRORS}max_score: 100
`,
  process_reward: "annotation_type: process_reward\nname: my_rewards\ndescription: Did this step help?\nallow_neutral: true\n",
  failure_attribution: "annotation_type: failure_attribution\nname: my_attribution\ndescription: Who failed, and at which step did it go wrong?\n",
  trajectory_edit: "annotation_type: trajectory_edit\nname: my_corrections\ndescription: Correct what the steps say.\n",
  error_span: `annotation_type: error_span
name: my_places
description: Mark the places that are wrong.
${ERRORS}`,
};

// The text of a scheme; the service checks it after each pause in typing.

/** @typedef {import("../pages/schemes.js").Remark} Remark */
/** @typedef {import("../records.js").CheckedScheme} Checked */

const PAUSE_MS = 300;

export const WORDS = { name: () => t("scheme.source"), at: (/** @type {number} */ line) => t("scheme.at", { line }) };

/** @param {{text: string, project: string | undefined, stored: (name: string) => void, close: () => void}} props */
export function Editor({ text: first, project, stored, close }) {
  const [text, setText] = useState(first);
  const [checked, setChecked] = useState(/** @type {{text: string, schemes: Checked[]}} */ ({ text: "", schemes: [] }));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  useEffect(() => {
    let isOver = false;
    /** @param {Checked[]} schemes @param {import("../api.js").ApiError | null} failed */
    const tell = (schemes, failed) => { if (!isOver) { setError(failed); if (!failed) setChecked({ text, schemes }); } };
    const timer = setTimeout(() => {
      if (!text.trim()) setChecked({ text, schemes: [] });
      else sendJson("POST", "/v1/schemes/check", { text }).then(({ schemes }) => tell(schemes, null), (failed) => tell([], asError(failed)));
    }, PAUSE_MS);
    return () => { isOver = true; clearTimeout(timer); };
  }, [text]);
  const [kept, setKept] = useState(/** @type {{text: string, names: string[]}} */ ({ text: "", names: [] }));
  const isKept = (/** @type {string} */ name) => kept.text === text && kept.names.includes(name);
  /** @param {string} name */
  const tell = (name) => { setKept({ text, names: [...(kept.text === text ? kept.names : []), name] }); stored(name); };
  /** @param {string} name */
  const store = (name) => sendJson("PUT", `/v1/schemes/${part(name)}`, { text }, { project }).then(() => tell(name), (failed) => setError(asError(failed)));
  /** @param {Event} event */
  const read = (event) => {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file) void file.text().then(setText);
  };
  const isCurrent = checked.text === text;
  const box = useFocusBack();
  return html`<section class="editor" ref=${box} aria-label=${t("scheme.write")}>
    <label>${t("scheme.paste")}<textarea class="code" rows="14" spellcheck=${false} value=${text} maxlength="60000"
      onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea></label>
    <p class="across"><label class="file">${t("scheme.from")} <input type="file" accept=".yaml,.yml,.json,text/*" onChange=${read} /></label>
      ${!text.trim() && html`<span>${t("scheme.example")}</span>${Object.entries(EXAMPLES).map(([kind, example]) => html`<button key=${kind} onClick=${() => setText(example)}>${kind}</button>`)}`}
      ${checked.schemes.map(({ name, errors }) => name && html`<button class="main" key=${name} disabled=${!isCurrent || errors.length > 0 || isKept(name)} onClick=${() => store(name)}>${t(isKept(name) ? "scheme.stored" : "scheme.store", { name: visible(name) })}</button>`)}
      <span class="room"></span><button onClick=${close}>${t(kept.names.length ? "close" : "cancel")}</button></p>
    <${Refusal} error=${error} />
    <div role="status">${isCurrent && text.trim() && checked.schemes.map((one) => html`<${Verdict} key=${one.name + one.line} checked=${one} />`)}</div>
    ${isCurrent && checked.schemes.map(({ form }) => form && html`<${Preview} key=${form.name} form=${form} />`)}
    ${isCurrent && checked.schemes.some((one) => one.errors.length + one.remarks.length > 0) && html`<${Source} text=${text} findings=${checked.schemes.flatMap(findings)} words=${WORDS} />`}
  </section>`;
}

/** @param {Checked} one */
const findings = ({ errors, remarks }) => [...errors.map((found) => ({ ...found, isError: true })), ...remarks.map((found) => ({ ...found, isError: false }))];

/** The result of the check for one scheme in the text, as a line. @param {{checked: Checked}} props */
function Verdict({ checked: { name, errors, remarks } }) {
  const verdict = errors.length ? t("scheme.wrong", { n: errors.length }) : remarks.length ? t("scheme.odd", { n: remarks.length }) : t("scheme.fine");
  return html`<p class=${errors.length ? "wrong" : remarks.length ? "odd" : "fine"}><bdi>${visible(name)}</bdi> ${verdict}</p>`;
}
