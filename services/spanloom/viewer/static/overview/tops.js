/** Tables of the groups with the largest metrics: agents, models, tools, failures, users, releases, or values of any other field. */
import { useState } from "../vendor/hooks.js";
import { duration, money, percent, short } from "../format.js";
import { number, t } from "../i18n/index.js";
import { useFields } from "../list/columns.js";
import { condition, narrowed } from "../state/filters.js";
import { change, place } from "../state/place.js";
import { shared } from "../state/range.js";
import { Refusal } from "../ui/frame.js";
import { useFetched } from "../ui/fetched.js";
import { html, line } from "../ui/html.js";
import { ofSteps } from "./numbers.js";

/** @typedef {import("../i18n/index.js").Key} Key */
/** @typedef {import("../api.js").Params} Params */
/**
 * A table. `by`: the field with a row per value; `asks`: the field by which a row's link filters runs; `metrics`: the
 * columns, of which the first orders the rows; `steps`: the query for the steps to count; without it, runs are counted.
 * @typedef {{title: Key, by: string, asks: string, metrics: string[], steps?: string, where?: string}} Top
 */

const OF_CALLS = ["sum(cost)", "count", "sum(tokens)", "rate(error)", "p95(duration)"];
const OF_TOOLS = ["count", "rate(error)", "p50(duration)", "p95(duration)"];
const OF_RUNS = ["count", "rate(has_error)", "sum(cost)", "p95(duration)"];

/** @type {Top[]} */
const TOPS = [
  { title: "top.agents", by: "owner", asks: "agent", metrics: OF_CALLS, steps: "type = model" },
  { title: "top.models", by: "model", asks: "model", metrics: OF_CALLS, steps: "type = model" },
  { title: "top.tools", by: "name", asks: "tool", metrics: OF_TOOLS, steps: "type = tool" },
  { title: "top.failures", by: "error_type", asks: "error_type", metrics: ["count", "sum(cost)", "p95(duration)"], where: "has_error" },
  { title: "top.users", by: "user", asks: "user", metrics: OF_RUNS },
  { title: "top.releases", by: "release", asks: "release", metrics: OF_RUNS },
];

/** Maximum number of rows of a table. */
const ROWS = 8;

/** @param {{params: Params}} props */
export function Tops({ params }) {
  return html`<div class="tops">${TOPS.map((top) => html`<${Table} key=${top.title} top=${top} params=${params}>${top.by === "release" && html`<a href=${shared("/compare", place.value.query)}>${t("top.compare")}</a>`}<//>`)}<${AnyField} params=${params} /></div>`;
}

/** @param {{top: Top, params: Params, children?: unknown}} props */
function Table({ top, params, children }) {
  const [by, order] = useState(top.metrics[0]);
  const metrics = [by, ...top.metrics.filter((one) => one !== by)];
  const { data, isOld, error } = useFetched("/v1/stats", { ...paramsOf(top, params), by: top.by, metrics: metrics.join(), top: ROWS });
  /** @type {Record<string, any>[]} */
  const rows = (data?.items ?? []).filter((/** @type {Record<string, any>} */ row) => row[top.by] !== null && row[top.by] !== "");
  return html`<section class="top-table"><h2>${t(top.title)} ${children}</h2>
    ${error ? html`<${Refusal} error=${error} />` : data && !rows.length ? html`<p class="quiet">${t("top.none")}</p>`
      : html`<div class="wide ${isOld ? "old" : ""}"><table class="sheet-table"><thead><tr><th><span class="sr">${t(top.title)}</span></th>
        ${top.metrics.map((one) => html`<th class="number" aria-sort=${one === by ? "descending" : "none"}><button class="sort" onClick=${() => order(one)}>${nameOf(one, top.steps)}${one === by ? " ▾" : ""}</button></th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr><th scope="row"><a href=${runsOf(top, row[top.by])}><bdi>${line(String(row[top.by]), 60)}</bdi></a></th>
        ${top.metrics.map((one) => html`<td class="number" title=${String(row[one] ?? "")} data-value=${String(row[one] ?? "")}>${shown(one, row[one])}</td>`)}</tr>`)}</tbody></table></div>`}</section>`;
}

/** A table grouped by a field that the user chooses; the field is stored in the URL. @param {{params: Params}} props */
function AnyField({ params }) {
  const fields = useFields().filter((one) => one.type === "text" || one.type === "choice" || one.type === "flag").filter((one) => !one.has_keys);
  const by = place.value.query.by ?? "service";
  const choice = html`<select aria-label=${t("top.by")} value=${by} onChange=${(/** @type {Event} */ event) => change({ by: /** @type {HTMLSelectElement} */ (event.target).value })}>
    ${fields.map(({ name }) => html`<option key=${name} value=${name}>${name}</option>`)}</select>`;
  const isShared = by === "agent" || by === "model";
  return html`<${Table} key=${by} top=${{ title: "top.any", by, asks: by, metrics: isShared ? ["count", "rate(has_error)"] : OF_RUNS }} params=${params}>${choice}<//>`;
}

/** @param {Top} top @param {Params} params */
function paramsOf({ steps, where }, params) {
  if (steps) return { ...ofSteps(params), where: steps };
  return { ...params, where: narrowed(/** @type {string | undefined} */ (params.where), ...(where ? [where] : [])) };
}

/** The URL of the list with the runs of a row. @param {Top} top @param {string | number | boolean} value */
function runsOf({ asks, where: only }, value) {
  const { query } = place.value;
  const type = useFields().find((one) => one.name === asks)?.type ?? "text";
  const own = asks === "tool" ? `has(tool = ${JSON.stringify(String(value))})` : type === "flag" ? condition(asks, value ? "is" : "not", "", "flag") : condition(asks, "=", String(value), type);
  return shared("/", query, { where: narrowed(query.where, own, ...(only ? [only] : [])) });
}

/** The label of a metric's column; `count` is labelled as calls if steps are counted. @param {string} metric @param {string} [steps] */
const nameOf = (metric, steps) => t(/** @type {Key} */ (`metric.${steps && metric === "count" ? "calls" : metric}`));

/** @param {string} metric @param {number | null | undefined} value */
function shown(metric, value) {
  if (value === null || value === undefined) return html`<span class="none">–</span>`;
  if (metric === "count") return number(value);
  if (metric.startsWith("rate")) return percent(value);
  if (metric.includes("cost")) return money(value);
  return metric.includes("duration") ? duration(value) : short(value);
}
