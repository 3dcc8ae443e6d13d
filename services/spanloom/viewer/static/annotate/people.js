/** Annotations of the same step by others, a column for each; and scores of evaluators. */
import { t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { fieldName, isStepwise, shapeOf, worded } from "./scheme.js";
import { isMachine } from "./tree_marks.js";
import { go } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */

const FIELDS = /** @type {const} */ (["error_type", "error_subtype", "severity", "rationale"]);

/** @param {{of: Session, at: string}} props */
export function People({ of, at }) {
  if (!isStepwise(of.scheme)) return html`<${OfTheRun} of=${of} turn=${of.turn.value} />`;
  const rows = of.others.get(at) ?? [];
  const scores = of.scores.get(at) ?? [];
  return html`<${Withheld} n=${of.withheld} />
    ${rows.length > 0 && html`<div class="people" role="region" aria-label=${t("people.label")} tabindex="0"><table>
      <thead><tr><th><span class="sr">${t("people.field")}</span></th>${rows.map((row) => html`<th><bdi>${visible(row.annotator)}</bdi></th>`)}</tr></thead>
      <tbody><tr><th>${fieldName("correctness")}</th>${rows.map((row) => html`<td><i class="mark m-${shapeOf(of.scheme, row.correctness)} ${isMachine(row.origin) ? "machine" : ""}" aria-hidden="true"></i> ${visible(worded(row.correctness || "–"))}${row.state === "changed" && html` <span class="quiet">${t("people.changed")}</span>`}</td>`)}</tr>
      ${FIELDS.filter((field) => rows.some((row) => row[field])).map((field) => html`<tr><th>${fieldName(field)}</th>${rows.map((row) => html`<td>${line(field === "rationale" ? row[field] : worded(row[field]), 400)}</td>`)}</tr>`)}</tbody></table></div>`}
    ${scores.length > 0 && html`<ul class="scores" aria-label=${t("people.scores")}>${scores.map((one) => html`<li><i class="mark machine m-${one.passed === false ? "wrong" : one.passed ? "right" : "half"}" aria-hidden="true"></i> <bdi>${visible(one.author)}</bdi> · ${visible(one.name)} <b>${visible(String(one.value ?? "–"))}</b> <span class="quiet">${line(one.rationale, 200)}</span></li>`)}</ul>`}`;
}

/** @param {{n: number}} props */
const Withheld = ({ n }) => (n > 0 ? html`<p class="quiet withheld">${t("people.withheld", { n })}</p>` : "");

/** Annotations of the run as a whole by others. @param {{of: Session}} props */
function OfTheRun({ of }) {
  const rows = of.others.get("") ?? [];
  const members = [...new Set(rows.flatMap((row) => Object.keys(row.value).filter((name) => typeof row.value[name] === "string")))];
  if (!members.length) return html`<${Withheld} n=${of.withheld} />`;
  return html`<${Withheld} n=${of.withheld} /><div class="people" role="region" aria-label=${t("people.label")} tabindex="0"><table>
    <thead><tr><th><span class="sr">${t("people.field")}</span></th>${rows.map((row) => html`<th><bdi>${visible(row.annotator)}</bdi></th>`)}</tr></thead>
    <tbody>${members.map((name) => html`<tr><th>${fieldName(name)}</th>${rows.map((row) => html`<td>${shown(of, row.value[name] ?? "")}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** A value; of a step its name. @param {Session} of @param {unknown} value */
function shown({ steps, view }, value) {
  const i = steps.row(String(value));
  return i < 0 ? line(String(value), 400) : html`<button class="plain" onClick=${() => go(i)}>${line(view.o.names[view.o.name[i]], 40)}</button>`;
}
