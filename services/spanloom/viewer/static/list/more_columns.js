/** The columns that are not shown by default: some members of a run, and every numeric field that the service describes. */
import { html, line } from "../ui/html.js";
import { duration, percent, short } from "../format.js";
import { getJson } from "../api.js";
import { number, t } from "../i18n/index.js";
import { link, place } from "../state/place.js";
import { effect, signal } from "../vendor/signals.js";
import { allColumns, loadFields, more, none, several } from "./columns.js";
import { keyOf, runs } from "./runs.js";

/** @typedef {import("./run.js").Run} Run */
/** @typedef {import("./columns.js").Column} Column */
/** @typedef {import("./columns.js").Field} Field */

/** @param {string | null} text */
const maybe = (text) => (text ? line(text, 60) : none());
/** @param {number | string} ms */
const spent = (ms) => (Number(ms) ? duration(Number(ms)) : none());
/** @param {Run} run */
const calls = (run) => (run.step_counts.tool ?? 0) + (run.step_counts.model ?? 0);
/** @param {Run} run */
const toolShare = (run) => (calls(run) ? (run.step_counts.tool ?? 0) / calls(run) : null);


/** @type {Column[]} */
const OWN = [
  { name: "model_time", label: "metric.model", order: "model_time", isNumber: true, heat: (run) => Number(run.model_time), cell: (run) => spent(run.model_time) },
  { name: "tool_time", label: "metric.tool", order: "tool_time", isNumber: true, heat: (run) => Number(run.tool_time), cell: (run) => spent(run.tool_time) },
  { name: "tools", label: "column.tools", order: "tool_steps", isNumber: true, cell: (run) => { const share = toolShare(run); return share === null ? none() : percent(share); } },
  { name: "conversation", label: "column.conversation", cell: (run) => run.conversation_id ? html`<a href=${link("/conversation", { id: run.conversation_id })}>${line(run.conversation_id, 24)}</a>` : none() },
  { name: "version", label: "column.version", order: "version", isNumber: true, cell: (run) => run.version },
  { name: "spans", label: "column.spans", order: "spans", isNumber: true, heat: (run) => run.span_count, cell: (run) => short(run.span_count), title: (run) => number(run.span_count) },
  { name: "user", label: "column.user", cell: (run) => maybe(run.user_id) },
  { name: "service", label: "column.service", cell: (run) => several(run.services) },
  { name: "environment", label: "column.environment", cell: (run) => maybe(run.environment) },
  { name: "tags", label: "column.tags", cell: (run) => several(run.tags) },
  { name: "project", label: "column.project", cell: (run) => maybe(run.project) },
  { name: "trace", label: "column.trace", cell: (run) => html`<code>${run.trace_id.slice(0, 12)}</code>`, title: (run) => run.trace_id },
];

// Columns of fields. Rows contain some of the values; other values are requested for the displayed rows.

/** Values by the run's key and the name of the field. @typedef {Map<string, Record<string, number | null>>} Values */

const values = signal(/** @type {Values} */ (new Map()));
const TEXTS = new Set(["text", "choice"]);

/** The value of a run's member with this name. @param {Run} run @param {string} name */
const memberOf = (run, name) => /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (run))[name];

/** @param {Run} run @param {string} name @param {Values} loaded @returns {number | null} */
function numberOf(run, name, loaded) {
  const own = memberOf(run, name);
  if (own !== undefined) return own === null ? null : Number(own);
  return loaded.get(keyOf(run))?.[name] ?? null;
}

/** The function that formats a field's values, chosen by the field's type; fractions are recognised by the field's name. @param {Field} field @returns {(value: number) => string} */
function written({ name, type }) {
  if (type === "duration") return duration;
  if (/_(rate|proportion)$/.test(name)) return percent;
  return type === "integer" ? short : (value) => number(Math.round(value * 100) / 100);
}

/** @param {Field} field @param {Values} loaded requested values, which rows do not have @returns {Column} */
function columnOf(field, loaded) {
  const { name, description } = field;
  const words = /** @type {import("../i18n/index.js").Key} */ (`order.${name}`);
  const label = t(words) === words ? /** @type {typeof words} */ (/** @type {string} */ (name)) : words;
  if (TEXTS.has(field.type)) return { name, label, cell: (run) => maybe(/** @type {string | null} */ (memberOf(run, name) ?? null)) };
  const shown = written(field);
  return { name, label, order: name, isNumber: true, heat: (run) => numberOf(run, name, loaded), title: () => description,
    cell: (run) => { const value = numberOf(run, name, loaded); return value === null ? none() : shown(value); } };
}

/** Whether a field can be shown as a column, and no other column shows it yet. @param {Field} field @param {Run[]} rows */
function isNew({ name, of, type, is_ordered: isOrdered, is_list: isList }, rows) {
  if (of !== "trajectories" || isList || SHOWN.has(name)) return false;
  return isOrdered || (TEXTS.has(type) && rows.some((run) => memberOf(run, name) !== undefined));
}

/** Fields that other columns show. */
const SHOWN = new Set([...allColumns(), ...OWN].flatMap(({ name, order }) => [name, order ?? name]).concat("trace_id", "root_name"));
const fields = signal(/** @type {Field[]} */ ([]));

effect(() => {
  const loaded = values.value;
  more.value = [...OWN, ...fields.value.filter((field) => isNew(field, runs.value ?? [])).map((field) => columnOf(field, loaded))];
});

/** Maximum number of metrics in a request. */
const MOST = 12;
let request = new AbortController();

/** Request values that rows do not have. @param {Run[]} rows @param {string[]} names */
async function ask(rows, names) {
  request.abort();
  const until = (request = new AbortController()).signal;
  const starts = rows.map((run) => Number(run.started_at));
  const where = `trace_id in (${rows.map((run) => `"${run.trace_id}"`).join(", ")})`;
  const { project } = place.peek().query;
  const metrics = names.slice(0, MOST).map((name) => `max(${name})`).join(",");
  try {
    const { items } = await getJson("/v1/stats", { project, where, metrics, by: "project,trace_id", duplicate: "any",
      since: String(Math.min(...starts)), until: String(Math.max(...starts) + 1) }, until);
    values.value = new Map(items.map((/** @type {any} */ item) => [keyOf(item), Object.fromEntries(names.map((name) => [name, item[`max(${name})`] ?? null]))]));
  } catch {
    // The list is usable without these values.
  }
}

effect(() => {
  const rows = runs.value;
  const { columns = "", order = "" } = place.value.query;
  const chosen = new Set([...columns.split(","), order.replace("-", "")]);
  const names = fields.value.filter((field) => chosen.has(field.name) && !TEXTS.has(field.type) && !SHOWN.has(field.name)).map(({ name }) => name);
  const missing = names.filter((name) => rows?.length && memberOf(rows[0], name) === undefined);
  if (rows?.length && missing.length) void ask(rows, missing);
});

loadFields().then((found) => { fields.value = found; }, () => {});
