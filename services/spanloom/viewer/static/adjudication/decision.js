/** What is decided of one step: the same choices that annotators have. */
import { t } from "../i18n/index.js";
import { none } from "../judging/parts.js";
import { annotator } from "../state/annotator.js";
import { html } from "../ui/html.js";
import { visible } from "../ui/visible.js";

/** @param {{row: import("./decisions.js").Row, scheme: import("../pages/schemes.js").Scheme, store: (edit: object) => void}} props */
export function Decision({ row, scheme, store }) {
  const said = row.decided;
  if (!scheme.correctness_options.length) return said ? html`<b>${Object.entries(said.value).map(([name, value]) => visible(`${name}: ${String(value)} `))}</b>` : none();
  const isWrong = said && said.correctness && said.correctness !== scheme.correct_option;
  return html`<span class="options" role="group" aria-label=${t("adjudication.decision")}>${scheme.correctness_options.map((one) => html`<button aria-pressed=${String(said?.correctness === one)} disabled=${!annotator.value}
      onClick=${() => store({ correctness: one })}>${visible(one)}</button>`)}</span>
    ${said && isWrong && html`<${ErrorForm} said=${said} scheme=${scheme} store=${store} />`}`;
}

/** Type, subtype, severity and why, of a step that is wrong. @param {{said: import("./decisions.js").Said, scheme: import("../pages/schemes.js").Scheme, store: (edit: object) => void}} props */
function ErrorForm({ said, scheme, store }) {
  const subtypes = scheme.error_types.find(({ name }) => name === said.error_type)?.subtypes ?? [];
  /** @param {"error_type" | "error_subtype" | "severity"} field @param {string} label @param {string[]} options */
  const choice = (field, label, options) => options.length > 0 && html`<select aria-label=${label} value=${said[field]} onChange=${(/** @type {globalThis.Event} */ event) => store({ [field]: /** @type {HTMLSelectElement} */ (event.target).value })}>
    <option value="">${label}</option>${options.map((one) => html`<option value=${one}>${visible(one)}</option>`)}</select>`;
  return html`<span class="options">${choice("error_type", t("measure.error_type"), scheme.error_types.map(({ name }) => name))}
    ${choice("error_subtype", t("adjudication.subtype"), subtypes)}
    ${choice("severity", t("measure.severity"), scheme.severities.map(({ name }) => name))}</span>
    <textarea key=${said.revision} rows="2" aria-label=${t("adjudication.why")} placeholder=${t("adjudication.why")} defaultValue=${said.rationale} maxlength="20000"
      onChange=${(/** @type {globalThis.Event} */ event) => store({ rationale: /** @type {HTMLTextAreaElement} */ (event.target).value })}></textarea>`;
}
