/** The decision on one step: the same choices that annotators have. */
import { isWrong, subtypesOf, weightOf, worded } from "../annotate/scheme.js";
import { number, t } from "../i18n/index.js";
import { none } from "../judging/parts.js";
import { annotator } from "../state/reader.js";
import { html, line, visible } from "../ui/html.js";
import { linesOf } from "./words.js";

/** @param {{row: import("./decisions.js").Row, scheme: import("../annotate/scheme.js").Scheme, outline: import("../tree/outline.js").Outline, store: (edit: object) => void}} props */
export function Decision({ row, scheme, outline, store }) {
  const said = row.decided;
  if (!scheme.correctness_options.length) return said ? linesOf(said.value, outline).map((one, at) => html`${at > 0 && html`<br />`}<b>${line(one, 200)}</b>`) : none();
  return html`<span class="options" role="group" aria-label=${t("adjudication.decision")}>${scheme.correctness_options.map((one) => html`<button aria-pressed=${String(said?.correctness === one)} disabled=${!annotator.value}
      onClick=${() => store({ correctness: one })}>${visible(worded(one))}</button>`)}</span>
    ${said && isWrong(scheme, said.correctness) && html`<${ErrorForm} said=${said} scheme=${scheme} store=${store} />`}`;
}

/** Type, subtype, severity and rationale of a wrong step. @param {{said: import("./decisions.js").Said, scheme: import("../annotate/scheme.js").Scheme, store: (edit: object) => void}} props */
function ErrorForm({ said, scheme, store }) {
  const subtypes = subtypesOf(scheme, said.error_type);
  /** The weight of a severity, as the form shows it. @param {string} severity */
  const weight = (severity) => (weightOf(scheme, severity) ? ` −${number(weightOf(scheme, severity))}` : "");
  /** @param {"error_type" | "error_subtype" | "severity"} field @param {string} label @param {string[]} options @param {(name: string) => string} [more] */
  const choice = (field, label, options, more = () => "") => options.length > 0 && html`<select aria-label=${label} value=${said[field]} onChange=${(/** @type {globalThis.Event} */ event) => store({ [field]: /** @type {HTMLSelectElement} */ (event.target).value })}>
    <option value="">${label}</option>${options.map((one) => html`<option value=${one} title=${scheme.definitions[one]}>${visible(worded(one))}${more(one)}</option>`)}</select>`;
  return html`<span class="options">${choice("error_type", t("measure.error_type"), scheme.error_types.map(({ name }) => name))}
    ${choice("error_subtype", t("field.subtype"), subtypes)}
    ${choice("severity", t("measure.severity"), scheme.severities.map(({ name }) => name), weight)}</span>
    <textarea key=${said.revision} rows="2" aria-label=${t("field.why")} placeholder=${t("field.why")} defaultValue=${said.rationale} maxlength="20000"
      onChange=${(/** @type {globalThis.Event} */ event) => store({ rationale: /** @type {HTMLTextAreaElement} */ (event.target).value })}></textarea>`;
}
