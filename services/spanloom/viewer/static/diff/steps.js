/** The differing steps of two runs side by side, with their differences. */
import { duration } from "../format.js";
import { t } from "../i18n/index.js";
import { LongText } from "../step/text.js";
import { Words } from "../step/words.js";
import { html, line } from "../ui/html.js";
import { sideLink } from "./sides.js";

/** @typedef {"same" | "changed" | "added" | "removed" | "moved"} Op */
/** @typedef {{op: Op, a?: number | null, b?: number | null, a_id?: string, b_id?: string, type?: string, name?: string, changes?: {field: string, a: unknown, b: unknown}[]}} Step */

/** @param {{diff: any}} props */
export function Steps({ diff }) {
  return html`<table class="sides steps-of"><tbody>${diff.steps.map((/** @type {Step} */ step) => html`
    <tr class="op-${step.op} k-${step.type}"><th><span class="op">${t(`op.${step.op}`)}</span> <b class="kind">${step.type}</b> <bdi>${line(step.name ?? "", 80)}</bdi></th>
      <td>${stepLink(diff.a, step.a, step.a_id)}</td><td>${stepLink(diff.b, step.b, step.b_id)}</td></tr>
    ${(step.changes ?? []).map((change) => html`<${Change} ...${change} />`)}`)}
  </tbody></table>`;
}

/** @param {{field: string, a: unknown, b: unknown}} props */
function Change({ field, a, b }) {
  return html`<tr class="change"><th>${field}</th>${[a, b].map((value) => html`<td><${LongText} text=${shown(field, value)} /></td>`)}</tr>
    ${areSentences(a, b) && html`<tr class="change words-of"><th></th><td colspan="2"><${Words} before=${a} after=${b} /></td></tr>`}`;
}

/** Whether two texts have words to compare. @param {unknown} a @param {unknown} b */
const areSentences = (a, b) => [a, b].every((one) => typeof one === "string" && /\S\s+\S/.test(one));

/** A missing value is shown differently from an empty text: a failed step without a message has an empty error. @param {string} field @param {unknown} value */
function shown(field, value) {
  if (value === null || value === undefined) return "–";
  if (value === "") return t("diff.empty");
  if (field === "duration" && typeof value === "number") return duration(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @param {import("./sides.js").Side} side @param {number | null | undefined} at @param {string | undefined} id */
function stepLink(side, at, id) {
  if (!id) return html`<span class="none">–</span>`;
  return html`<a href=${sideLink(side, id)} title=${id}>${typeof at === "number" ? t("diff.step", { n: at }) : t("diff.root")}</a>`;
}
