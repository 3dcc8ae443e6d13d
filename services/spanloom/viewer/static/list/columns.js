/** The columns of the list of runs, and the fields by which runs are filtered and ordered. */
import { html, line, visible } from "../ui/html.js";
import { ago, clock, duration, moment, money, short } from "../format.js";
import { number, t } from "../i18n/index.js";
import { change, FIRST_ERROR, place } from "../state/place.js";
import { pageOf } from "./run.js";
import { condition, narrowed, wordsIn } from "../state/filters.js";
import { scoreOf, scoresInWords } from "./runs.js";
import { useEffect } from "../vendor/hooks.js";
import { effect, signal } from "../vendor/signals.js";
import { getJson } from "../api.js";

// The number of steps of a run, with a bar of the shares of their types; the bar is longer for more steps.

export const TYPES = ["agent", "model", "tool", "graph"];
/** The number of steps at which the bar is full; the length of the bar is logarithmic. */
const FULL = 1000;

/** @param {{counts: Record<string, number>}} props */
export function StepBar({ counts }) {
  const there = TYPES.filter((type) => counts[type]);
  const sum = there.reduce((total, type) => total + counts[type], 0);
  const words = there.map((type) => `${counts[type]} ${type}`).join(", ");
  return html`<span class="steps" title=${words}>
    <span class="count">${short(sum)}</span>
    <span class="length" aria-hidden="true"><span class="shares" style=${{ width: `${Math.round(100 * Math.min(1, Math.log(sum + 1) / Math.log(FULL)))}%` }}>${there.map((type) => html`<i class="k-${type}" style=${{ flexGrow: counts[type] }}></i>`)}</span></span>
    <span class="sr">${words}</span>
  </span>`;
}

// The columns of the list: for each its contents, the field by which it orders, and the value that its shade shows.

/** @typedef {import("./run.js").Run} Run */
/**
 * @typedef {{name: string, label: import("../i18n/index.js").Key, order?: string, heat?: (run: Run) => number | null,
 *   isNumber?: boolean, cell: (run: Run) => import("../vendor/preact.js").Child, title?: (run: Run) => string}} Column
 */

export const none = () => html`<span class="none">–</span>`;
/** @param {string[]} texts */
export const several = (texts) => (texts.length ? line(texts.join(", "), 60) : none());

/** Up to `NAMES` names in a cell; a click on a name adds it to the query. @param {string} field @param {string[]} names @param {string} [type] of the field */
export function asking(field, names, type = "text") {
  if (!names.length) return none();
  /** @param {string} name */
  const narrow = (name) => change({ where: narrowed(place.peek().query.where, condition(field, "=", name, type)), cursor: null, at: null }, true);
  return html`${names.slice(0, NAMES).map((name, i) => html`${i > 0 && ", "}<button class="plain" title=${t("filter.by", { name: line(name, 40) })} onClick=${() => narrow(name)}><bdi>${line(name, 40)}</bdi></button>`)}${names.length > NAMES && " …"}`;
}
/** Maximum number of names in a cell; its title has all. */
const NAMES = 4;

/** @param {number | null} value @param {(value: number) => string} shown */
const counted = (value, shown) => (value ? shown(value) : none());
/** The failure of a run as text: its type and message, without the type if the message begins with it. @param {Run} run */
const why = ({ error_message: message, error_type: type }) => (!type || message?.startsWith(type) || message?.split(":")[0].endsWith(`.${type}`) ? (message ?? "") : [type, message].filter(Boolean).join(": "));

/** The default columns of the list. @type {Column[]} */
const COLUMNS = [
  { name: "started", label: "column.started", order: "start", isNumber: true, cell: (run) => clock(Number(run.started_at)), title: (run) => `${moment(Number(run.started_at))}, ${ago(Number(run.started_at))}` },
  { name: "name", label: "column.name", cell: (run) => html`<a href=${pageOf(run, { q: wordsIn(place.value.query.where) })}><bdi>${line(run.root_name || run.trace_id, 60)}</bdi></a>${run.longest_repeat > 2 && html` <span class="about" title=${t("note.same", { n: run.longest_repeat })}>↻ ×${run.longest_repeat}<span class="sr">, ${t("note.same", { n: run.longest_repeat })}</span></span>`}
      ${run.question && html` <span class="about">${line(run.question, 160)}</span>`}${run.has_error && why(run) && html` <span class="about bad">${line(why(run), 100)}</span>`}`, title: (run) => [run.question, run.answer || (run.has_error ? why(run) : "")].filter(Boolean).map(visible).join("\n→ ") },
  { name: "agents", label: "column.agents", order: "agent_steps", cell: (run) => asking("agent", run.agent_names), title: (run) => visible(run.agent_names.join("\n")) },
  { name: "steps", label: "column.steps", order: "steps", cell: (run) => html`<${StepBar} counts=${run.step_counts} />` },
  { name: "duration", label: "column.duration", order: "duration", isNumber: true, heat: (run) => Number(run.duration), cell: (run) => duration(Number(run.duration)) },
  { name: "input", label: "column.input", order: "input_tokens", isNumber: true, heat: (run) => run.input_tokens, cell: (run) => counted(run.input_tokens, short), title: (run) => number(run.input_tokens) },
  { name: "output", label: "column.output", order: "output_tokens", isNumber: true, heat: (run) => run.output_tokens, cell: (run) => counted(run.output_tokens, short), title: (run) => number(run.output_tokens) },
  { name: "cost", label: "column.cost", order: "cost", isNumber: true, heat: (run) => run.cost, cell: (run) => counted(run.cost, money) },
  { name: "errors", label: "column.errors", order: "failures", isNumber: true, heat: (run) => run.failures, cell: (run) => (run.failures ? html`<a class="bad" title=${[why(run), t("list.to.error")].filter(Boolean).join("\n")} href=${pageOf(run, { step: FIRST_ERROR })}>✕ ${run.failures}</a>` : none()) },
  { name: "score", label: "column.score", isNumber: true, cell: (run) => scoreOf(run) || none(), title: scoresInWords },
  { name: "models", label: "column.models", cell: (run) => asking("model", run.models), title: (run) => visible(run.models.join("\n")) },
];

const USUAL = ["started", "name", "score", "agents", "steps", "errors", "duration", "input", "output", "cost", "models"];

/** The columns that are not shown by default; loaded when one of them is shown or the menu is opened. */
export const more = signal(/** @type {Column[]} */ ([]));

/** All known columns. */
export const allColumns = () => [...COLUMNS, ...more.value];

/** The columns named in a comma-separated list, in its order; the default columns if it names no known column. @param {string | undefined} named @returns {Column[]} */
export function chosenColumns(named) {
  const wanted = named?.split(",") ?? USUAL;
  const all = allColumns();
  const found = wanted.flatMap((name) => all.find((column) => column.name === name) ?? []);
  return found.length ? found : chosenColumns(undefined);
}

/** Add the column of the field that orders the list, if it is missing. @param {Column[]} columns @param {string | undefined} by absent for the default order @returns {Column[]} */
export function withOrder(columns, by) {
  const column = !by || columns.some(({ order }) => order === by) ? null : allColumns().find(({ order }) => order === by);
  return column ? columns.toSpliced(2, 0, column) : columns;
}

effect(() => {
  const { columns = "", order = "-start" } = place.value.query;
  if (!COLUMNS.some((one) => one.order === order.replace("-", ""))) import("./more_columns.js").catch(() => {});
  if (columns && columns.split(",").some((name) => !COLUMNS.some((one) => one.name === name))) import("./more_columns.js").catch(() => {});
});

/** The value of the parameter `columns` for columns with these names; empty for the default columns. @param {string[]} names */
export function columnsText(names) {
  const text = names.join(",");
  return text === USUAL.join(",") ? "" : text;
}

// The fields by which runs are filtered and ordered, as reported by the service.

/** @typedef {import("../records.js").FieldItem} Field */

const known = signal(/** @type {Field[] | null} */ (null));

/** Return all fields of runs and of steps, which are requested once. @returns {Promise<Field[]>} */
export async function loadFields() {
  known.value ??= (await getJson("/v1/fields")).items;
  return known.value ?? [];
}

/** The typed query with its short forms translated by the service; unchanged if the service does not respond. @param {string} text @returns {Promise<string>} */
export async function questionOf(text) {
  const typed = text.trim();
  if (!typed) return typed;
  return getJson("/v1/where", { line: typed }).then(({ where }) => where, () => typed);
}

/** The fields of runs or of steps; none until they are loaded. @param {"trajectories" | "steps"} [of] */
export function useFields(of = "trajectories") {
  useEffect(() => void loadFields().catch(() => {}), []);
  return (known.value ?? []).filter((one) => one.of === of);
}
