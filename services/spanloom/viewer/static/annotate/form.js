/** The form for one step: right or not; if not, the type of the error, its severity, and the reason. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { number, t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";
import { areOn } from "../ui/frame.js";
import { nextUnjudged, say, sayBranch } from "./deeds.js";
import { asksMore, lettersOf, shapeOf, subtypesOf, worded } from "./scheme.js";
import { toForm, toNext, toTree } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./marks.js").Edit} Edit */
/** @typedef {{name: string, letter: string, isOn: boolean, edit: Edit, more?: string, tip?: string}} Choice `edit`: the edit that choosing it makes */

const MOST_WHY = 20_000;

/** @param {{of: Session, at: string, i: number}} props `at`: empty where the row is no step; its buttons are there, so that none moves, and off */
export function Form({ of, at, i }) {
  const mark = of.mark(at);
  const { scheme } = of;
  const isLast = nextUnjudged(of, i) < 0;
  /** @param {string} option */
  const judge = (option) => () => say(of, at, { correctness: option === mark.correctness ? "" : option });
  const first = scheme.correctness_options[0] ?? "";
  return html`<div class="options" role="group" aria-label=${t("field.correctness")}>
      ${scheme.correctness_options.map((option, k) => html`<button class="option" disabled=${!at} aria-pressed=${String(Boolean(at) && option === mark.correctness)} onClick=${judge(option)}>
        ${k < 9 && html`<kbd>${k + 1}</kbd>`} <i class="mark m-${shapeOf(scheme, option)}" aria-hidden="true"></i> ${visible(worded(option))}</button>`)}
      <span class="onward"><button disabled=${!at || of.view.o.end[i] <= i + 1} onClick=${() => sayBranch(of, i, first)} title=${t("annotate.branch.means")}>${t("annotate.branch", { option: worded(first) })} <kbd>⇧ 1</kbd></button>
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
  const choose = (edit) => say(of, at, edit);
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
        onInput=${(/** @type {Event} */ event) => say(of, at, { rationale: /** @type {HTMLTextAreaElement} */ (event.target).value }, { isTyping: true })}></textarea></label>
  </div>`;
}

/** @param {KeyboardEvent} event */
const isText = (event) => /** @type {HTMLElement} */ (event.target).tagName === "TEXTAREA";

/** The choices for a wrong step, each with its letter. @param {import("./scheme.js").Scheme} scheme @param {import("./marks.js").Mark} mark */
function choicesOf(scheme, mark) {
  const subtypes = subtypesOf(scheme, mark.error_type);
  const first = lettersOf([...scheme.severities, ...scheme.error_types].map((one) => one.name));
  const letters = [...first, ...lettersOf(subtypes, first)]; // letters of subtypes change with the type, the others never
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
