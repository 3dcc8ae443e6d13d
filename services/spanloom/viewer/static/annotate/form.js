/** The forms for a step, for its extras, and for the run as a whole. */
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { number, t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { areOn } from "../ui/frame.js";
import { go, nextUnjudged, annotateStep, annotateBranch, toForm, toNext, toTree } from "./deeds.js";
import { asksMore, isStepwise, lettersOf, shapeOf, subtypesOf, worded } from "./scheme.js";
import { Corrections, Places } from "./places.js";
import { hasPieces, piecesOf } from "./pieces.js";

// The form for one step: whether it is right; if not, the type of the error, its severity, and the reason.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./marks.js").Edit} Edit */
/** @typedef {{name: string, letter: string, isOn: boolean, edit: Edit, more?: string, tip?: string}} Choice `edit`: the edit that choosing it makes */

const MOST_WHY = 20_000;

/** @param {{of: Session, at: string, i: number}} props `at`: empty if the row is not a step; then the buttons are disabled but still shown, so that nothing moves */
export function Form({ of, at, i }) {
  const mark = of.mark(at);
  const { scheme } = of;
  const isLast = nextUnjudged(of, i) < 0;
  /** @param {string} option */
  const judge = (option) => () => annotateStep(of, at, { correctness: option === mark.correctness ? "" : option });
  const first = scheme.correctness_options[0] ?? "";
  return html`<div class="options" role="group" aria-label=${t("field.correctness")}>
      ${scheme.correctness_options.map((option, k) => html`<button class="option" disabled=${!at} aria-pressed=${String(Boolean(at) && option === mark.correctness)} onClick=${judge(option)}>
        ${k < 9 && html`<kbd>${k + 1}</kbd>`} <i class="mark m-${shapeOf(scheme, option)}" aria-hidden="true"></i> ${visible(worded(option))}</button>`)}
      <span class="onward"><button disabled=${!at || of.view.o.end[i] <= i + 1} onClick=${() => annotateBranch(of, i, first)} title=${t("annotate.branch.means")}>${t("annotate.branch", { option: worded(first) })} <kbd>⇧ 1</kbd></button>
      <button onClick=${toNext} disabled=${isLast}>${t("annotate.next")} <kbd>n</kbd></button></span>
    </div>
    ${at && asksMore(scheme, mark.correctness) && html`<${More} of=${of} turn=${of.turn.value} at=${at} mark=${mark} />`}`;
}

/** @param {{of: Session, at: string, mark: import("./marks.js").Mark}} props */
function More({ of, at, mark }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    if (toForm.value !== at) return;
    toForm.value = "";
    box.current?.focus({ preventScroll: true });
  }, [toForm.value]);
  const choices = choicesOf(of.scheme, mark);
  const all = Object.values(choices).flat();
  /** @param {Edit} edit */
  const choose = (edit) => annotateStep(of, at, edit);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.preventDefault();
      toTree();
    }
    const found = areOn.value && !isText(event) && all.find((one) => one.letter && one.letter === event.key);
    if (!found) return;
    event.preventDefault();
    choose(found.edit);
  };
  return html`<div class="more-asked" ref=${box} tabindex="-1" role="group" aria-label=${t("annotate.more")} onKeyDown=${press}>
    <${Choices} label=${t("field.type")} choices=${choices.types} choose=${choose} />
    <${Choices} label=${t("field.subtype")} choices=${choices.subtypes} choose=${choose} />
    <${Choices} label=${t("field.severity")} choices=${choices.severities} choose=${choose} />
    <label class="why"><span>${t("field.why")} <kbd>r</kbd></span>
      <textarea class="rationale" rows="2" maxlength=${MOST_WHY} value=${mark.rationale}
        onInput=${(/** @type {Event} */ event) => annotateStep(of, at, { rationale: /** @type {HTMLTextAreaElement} */ (event.target).value }, { isTyping: true })}></textarea></label>
  </div>`;
}

/** @param {KeyboardEvent} event */
const isText = (event) => /** @type {HTMLElement} */ (event.target).tagName === "TEXTAREA";

/** The choices for a wrong step, each with its letter. @param {import("./scheme.js").Scheme} scheme @param {import("./marks.js").Mark} mark */
function choicesOf(scheme, mark) {
  const subtypes = subtypesOf(scheme, mark.error_type);
  const first = lettersOf([...scheme.severities, ...scheme.error_types].map((one) => one.name));
  const letters = [...first, ...lettersOf(subtypes, first)]; // letters of subtypes change with the type; other letters never change
  const letter = () => letters.shift() ?? "";
  /** @param {"error_type" | "error_subtype" | "severity"} field @param {string} name @param {Partial<Choice>} [more] @returns {Choice} */
  const choice = (field, name, more) => {
    const isOn = mark[field] === name;
    return { name, letter: letter(), isOn, edit: { [field]: isOn ? "" : name }, tip: scheme.definitions[name], ...more };
  };
  return {
    severities: scheme.severities.map((one) => choice("severity", one.name, { more: one.weight ? `−${number(one.weight)}` : "" })),
    types: scheme.error_types.map((one) => choice("error_type", one.name)),
    subtypes: subtypes.map((name) => choice("error_subtype", name)),
  };
}

/** @param {{label: string, choices: Choice[], choose: (edit: Edit) => void}} props */
function Choices({ label, choices, choose }) {
  if (!choices.length) return "";
  return html`<div class="choice" role="group" aria-label=${label}><span class="quiet">${label}</span><span class="buttons">
    ${choices.map(({ name, letter, isOn, edit, more, tip }) => html`<button aria-pressed=${String(isOn)} title=${tip} onClick=${() => choose(edit)}>
      ${letter && html`<kbd>${letter}</kbd> `}${visible(worded(name))}${more && html` <b class="weight">${more}</b>`}</button>`)}</span></div>`;
}

// Annotations of the whole run: which agent failed at which step, or a note.

const MOST = 20_000;

/** The form for the whole run: the responsible agent, the decisive step, and the reason. @param {{of: Session, i: number}} props */
export function Attribution({ of, i }) {
  const { value } = of.mark("");
  const agents = [...new Set([...of.view.o.agents.filter(Boolean), ...of.scheme.agents, ...(value.responsible_agent ? [value.responsible_agent] : [])])];
  const decisive = of.steps.row(String(value.decisive_step ?? ""));
  /** @param {Record<string, unknown>} members @param {boolean} [isTyping] */
  const put = (members, isTyping) => annotateStep(of, "", { value: members }, { isTyping });
  /** @param {KeyboardEvent} event */
  const leave = (event) => { if (event.key === "Escape") { event.preventDefault(); toTree(); } };
  return html`<div class="attribution" onKeyDown=${leave}>
    <label>${t("measure.responsible_agent")} <select value=${value.responsible_agent ?? ""} onChange=${(/** @type {Event} */ event) => put({ responsible_agent: /** @type {HTMLSelectElement} */ (event.target).value || null })}>
      <option value="">–</option>${agents.map((name) => html`<option value=${name} selected=${name === value.responsible_agent}>${visible(String(name))}</option>`)}</select></label>
    <p>${t("measure.decisive_step")} ${decisive >= 0 ? html`<button class="plain" onClick=${() => go(decisive)}>${line(of.view.o.names[of.view.o.name[decisive]], 40)} <code>${value.decisive_step}</code></button> <button onClick=${() => put({ decisive_step: null })}>${t("whole.clear")}</button>` : html`<span class="quiet">${t("whole.none")}</span>`}
      <button disabled=${!of.steps.isStep(i) || decisive === i} onClick=${() => put({ decisive_step: of.steps.id(i) })}>${t("whole.this")} <kbd>!</kbd></button></p>
    <label class="why"><span>${t("field.why")} <kbd>r</kbd></span><textarea class="rationale" rows="3" maxlength=${MOST} value=${value.reason ?? ""} onInput=${(/** @type {Event} */ event) => put({ reason: /** @type {HTMLTextAreaElement} */ (event.target).value }, true)}></textarea></label>
  </div>`;
}

/** @param {{of: Session}} props */
export function Note({ of }) {
  const write = (/** @type {Event} */ event) => annotateStep(of, "", { value: { note: /** @type {HTMLTextAreaElement} */ (event.target).value || null } }, { isTyping: true });
  return html`<textarea rows="3" maxlength=${MOST} aria-label=${t("extras.note")} value=${of.mark("").value.note ?? ""} onInput=${write}></textarea>`;
}

// Further annotations: a corrected text, marked passages, a note on the whole run; each opens below its button.

/** @param {{of: Session, at: string}} props `at`: empty if no step is chosen */
export function Extras({ of, at }) {
  const [open, setOpen] = useState(isStepwise(of.scheme) ? "" : of.scheme.annotation_type === "trajectory_edit" ? "corrections" : "spans");
  const names = /** @type {const} */ (["corrections", "spans"]).filter((name) => at && hasPieces(of, name));
  const count = (/** @type {"corrections" | "spans"} */ name) => piecesOf(of, at, name).length;
  const button = (/** @type {"corrections" | "spans" | "note"} */ name, /** @type {number} */ n) => html`<button class="plain" aria-expanded=${String(open === name)} onClick=${() => setOpen(open === name ? "" : name)}><span aria-hidden="true">${open === name ? "▾" : "▸"}</span> ${t(`extras.${name}`)}${n > 0 && html` <b>${n}</b>`}</button>`;
  const isOpen = (/** @type {"corrections" | "spans"} */ name) => open === name && names.includes(name);
  return html`<div class="extras">${names.map((name) => button(name, count(name)))}${button("note", of.mark("").value.note ? 1 : 0)}${!at && isStepwise(of.scheme) && html`<span class="quiet" role="status">${t("annotate.nostep")}</span>`}</div>
    ${isOpen("corrections") && html`<${Corrections} key=${`corrections ${at}`} of=${of} turn=${of.turn.value} at=${at} />`}
    ${isOpen("spans") && html`<${Places} of=${of} turn=${of.turn.value} at=${at} />`}
    ${open === "note" && html`<${Note} of=${of} turn=${of.turn.value} />`}`;
}
