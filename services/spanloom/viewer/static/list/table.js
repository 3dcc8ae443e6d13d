/**
 * The rows of the list. One row is active; only keys and clicks make another
 * row active.
 */
import { read, write } from "../state/reader.js";
import { useEffect, useLayoutEffect, useMemo, useRef } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { Selection } from "../state/selection.js";
import { html } from "../ui/html.js";
import { AllBox, RowBox } from "../ui/select_box.js";
import { SortHead } from "../ui/sort_head.js";
import { useKeys } from "../ui/frame.js";
import { chosenColumns, more, withOrder } from "./columns.js";
import { keepPage, stateOf } from "./run.js";
import { pageParams, first, isAnnotated, nextCursor } from "./runs.js";
import { outdated } from "./live.js";

// The user's position in the list when they left it, stored in the browser tab and restored when they come back.

/** @typedef {{url: string, row: string, sight: number}} Position `row`: the trace id; `sight`: the row's distance in pixels from the upper edge of the visible area */

const NAME = "list.stand";
const address = () => location.pathname + location.search;
/** Whether no position was restored yet; a position is restored only once, because later rows are results of another query. */
let isFirst = true;
/** @param {HTMLElement} row */
const boxOf = (row) => /** @type {HTMLElement} */ (row.closest(".scroll"));

/** Store the position of the active row. @param {string} id @param {HTMLElement | undefined} row */
export function keepPosition(id, row) {
  if (row) write(NAME, { url: address(), row: id, sight: row.offsetTop - boxOf(row).scrollTop }, sessionStorage);
}

/** Restore the scroll position, and return the number of the row that was active; -1 if another list is shown. @param {string[]} ids @param {ArrayLike<HTMLElement>} rows */
export function restorePosition(ids, rows) {
  const { url, row, sight } = read(NAME, /** @type {Position} */ ({ url: "", row: "", sight: 0 }), sessionStorage);
  const at = isFirst && url === address() ? ids.indexOf(row) : -1;
  isFirst = false;
  if (at >= 0) boxOf(rows[at]).scrollTop = rows[at].offsetTop - sight;
  return at;
}

// Shades by quantile: for any distribution, the largest values on the page have the strongest shade.

const STEPS = [0.5, 0.7, 0.85, 0.95];

/**
 * Return a function from a value to its shade, 0 (none) to 4. Equal values have equal shades; if all
 * are equal, none is shaded.
 * @param {(number | null)[]} values
 */
export function shades(values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const least = known[0];
  const most = known.at(-1);
  const limits = STEPS.map((share) => known[Math.floor(share * (known.length - 1))]);
  return (/** @type {number | null} */ value) => {
    if (value === null || value === 0 || least === most) return 0;
    return limits.filter((limit) => value > limit || value === most).length;
  };
}

// The rows.

/** @typedef {import("./run.js").Run} Run */

const active = signal(0);
/** Trace ids of the selected runs. */
export const selection = new Selection("selected");

/** @param {{runs: Run[]}} props */
export function Table({ runs }) {
  const { query } = place.value;
  const order = query.order ?? "-start";
  const columns = withOrder(chosenColumns(query.columns), query.order?.replace("-", ""));
  const ids = runs.map((run) => run.trace_id);
  const body = useRef(/** @type {HTMLTableSectionElement | null} */ (null));
  const shade = useMemo(() => { // only in the column that orders the rows; shades in other columns would distract from it
    const by = columns.find((column) => column.order === order.replace("-", ""));
    return new Map(by?.heat ? [[by.name, shades(runs.map(by.heat))]] : []);
  }, [runs, query.columns, order, more.value]);
  /** @param {number} by */
  const move = (by) => {
    active.value = Math.max(0, Math.min(runs.length - 1, active.value + by));
    /** @type {HTMLElement | undefined} */ (body.current?.rows[active.value])?.focus();
  };
  useLayoutEffect(() => { // a visible row may be opened at once, and the page of the run reads this list
    active.value = Math.min(active.peek(), Math.max(0, runs.length - 1));
    keepPage({ url: location.pathname + location.search, runs: runs.map((run) => [run.trace_id, run.project]), first: first.peek(), cursor: nextCursor.peek(), asked: pageParams(query) });
  }, [runs]);
  useLayoutEffect(() => {
    const at = restorePosition(runs.map((run) => run.trace_id), /** @type {any} */ (body.current?.rows));
    if (at >= 0) active.value = at;
  }, []);
  useEffect(() => {
    const leave = () => keepPosition(runs[active.peek()]?.trace_id, body.current?.rows[active.peek()]);
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, [runs]);
  const isByTime = order.endsWith("start");
  const open = () => body.current?.rows[active.value]?.querySelector("a")?.click();
  useKeys([
    { key: "j", label: "key.down", run: () => move(1) }, { key: "ArrowDown", label: "key.down", run: () => move(1) },
    { key: "k", label: "key.up", run: () => move(-1) }, { key: "ArrowUp", label: "key.up", run: () => move(-1) },
    { key: "Enter", label: "key.open", run: (event) => { if (!/** @type {Element} */ (event.target).closest("button, a, label")) open(); else /** @type {HTMLElement} */ (event.target).click(); } },
    { key: "x", label: "key.select", run: () => runs[active.value] && selection.turn(ids[active.value]) },
    { key: "X", label: "key.select.range", run: () => runs[active.value] && selection.turn(ids[active.value], ids) },
  ], [runs]);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("list.label")}><table class="runs">
    <thead><tr><th class="mark"><span class="sr">${t("column.marks")}</span><${AllBox} of=${selection} shown=${ids} /></th>${columns.map((column) => html`<${SortHead} key=${column.name} column=${column} order=${order} />`)}</tr></thead>
    <tbody ref=${body}>${runs.map((run, at) => html`<${Row} key=${run.trace_id + run.project} run=${run} ids=${ids} columns=${columns} shade=${shade} isActive=${at === active.value} isNewDay=${isByTime && at > 0 && dayOf(run) !== dayOf(runs[at - 1])} enter=${() => { active.value = at; }} />`)}</tbody>
  </table></div>`;
}

/** The day of a run, in the user's time zone. @param {Run} run */
const dayOf = (run) => new Date(Number(run.started_at)).toDateString();

/**
 * @param {{run: Run, ids: string[], columns: import("./columns.js").Column[], isActive: boolean, isNewDay: boolean, enter: () => void,
 *   shade: Map<string, (value: number | null) => number>}} props
 */
function Row({ run, ids, columns, isActive, isNewDay, enter, shade }) {
  const { state, sign, words } = stateOf(run);
  const isSelected = selection.chosen.value.has(run.trace_id);
  const hasAnnotations = isAnnotated(run);
  const isOld = outdated.value.has(run.trace_id);
  return html`<tr tabindex=${isActive ? 0 : -1} class="${isActive ? "active" : ""} ${isNewDay ? "new-day" : ""}" aria-selected=${String(isSelected)} onFocus=${enter} onClick=${enter}>
    <td class="mark"><${RowBox} of=${selection} row=${run.trace_id} shown=${ids} name=${run.root_name} />
      <span class="state s-${state}" title=${isOld ? `${words} · ${t("list.outdated")}` : words}><span aria-hidden="true">${sign}</span><span class="sr">${words}</span></span><i class="noted ${hasAnnotations ? "on" : ""}" title=${hasAnnotations ? t("list.annotated") : ""}>${hasAnnotations && html`<span class="sr">${t("list.annotated")}</span>`}</i>${isOld && html`<i class="dot new"></i>`}</td>
    ${columns.map((column) => html`<td key=${column.name} class=${`c-${column.name}${column.isNumber ? " number" : ""} h${column.heat ? (shade.get(column.name)?.(column.heat(run)) ?? 0) : 0}`}
      role=${column.name === "name" ? "rowheader" : undefined} data-label=${t(column.label)} title=${column.title?.(run)}>${column.cell(run)}</td>`)}
  </tr>`;
}
