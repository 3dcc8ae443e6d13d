/** The rows of the list. One row is active: keys move it, and nothing but keys and clicks does. */
import { useEffect, useLayoutEffect, useMemo, useRef } from "../vendor/hooks.js";
import { effect, signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { read, write } from "../state/reader.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { keepStand, standAgain } from "./back.js";
import { chosenColumns } from "./columns.js";
import { stateOf } from "./run.js";
import { keepPage } from "./origin.js";
import { askedFor, first, nextCursor } from "./runs.js";
import { shades } from "./heat.js";
import { outdated } from "./live.js";
import { isAnnotated } from "./annotated.js";

/** @typedef {import("./run.js").Run} Run */

const active = signal(0);
/** Trace ids of the runs that were selected, also on other pages; kept while the reader opens one and comes back. */
export const selected = signal(new Set(read("selected", /** @type {string[]} */ ([]), sessionStorage)));
effect(() => write("selected", [...selected.value], sessionStorage));

/** @param {string} id */
function select(id) {
  const set = new Set(selected.peek());
  if (!set.delete(id)) set.add(id);
  selected.value = set;
}

/** @param {{runs: Run[]}} props */
export function Table({ runs }) {
  const { query } = place.value;
  const columns = chosenColumns(query.columns);
  const body = useRef(/** @type {HTMLTableSectionElement | null} */ (null));
  const shade = useMemo(() => new Map(columns.map(({ name, heat }) => [name, heat && shades(runs.map(heat))])), [runs, query.columns]);
  /** @param {number} by */
  const move = (by) => {
    active.value = Math.max(0, Math.min(runs.length - 1, active.value + by));
    /** @type {HTMLElement | undefined} */ (body.current?.rows[active.value])?.focus();
  };
  useLayoutEffect(() => { // a visible row may be opened at once, and its page reads them
    active.value = Math.min(active.peek(), Math.max(0, runs.length - 1));
    keepPage({ url: location.pathname + location.search, runs: runs.map((run) => [run.trace_id, run.project]), first: first.peek(), cursor: nextCursor.peek(), asked: askedFor(query) });
  }, [runs]);
  useLayoutEffect(() => {
    const at = standAgain(runs.map((run) => run.trace_id), /** @type {any} */ (body.current?.rows));
    if (at >= 0) active.value = at;
  }, []);
  useEffect(() => {
    const leave = () => keepStand(runs[active.peek()]?.trace_id, body.current?.rows[active.peek()]);
    addEventListener("pagehide", leave);
    return () => removeEventListener("pagehide", leave);
  }, [runs]);
  const open = () => body.current?.rows[active.value]?.querySelector("a")?.click();
  useKeys([
    { key: "j", says: "key.down", run: () => move(1) }, { key: "ArrowDown", says: "key.down", run: () => move(1) },
    { key: "k", says: "key.up", run: () => move(-1) }, { key: "ArrowUp", says: "key.up", run: () => move(-1) },
    { key: "Enter", says: "key.open", run: (event) => { if (!/** @type {Element} */ (event.target).closest("button, a, label")) open(); else /** @type {HTMLElement} */ (event.target).click(); } },
    { key: "x", says: "key.select", run: () => runs[active.value] && select(runs[active.value].trace_id) },
  ], [runs]);
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("list.label")}><table class="runs">
    <thead><tr><th class="mark"><span class="sr">${t("column.marks")}</span></th>${columns.map((column) => html`<${Head} key=${column.name} column=${column} order=${query.order ?? "-start"} />`)}</tr></thead>
    <tbody ref=${body}>${runs.map((run, at) => html`<${Row} key=${run.trace_id + run.project} run=${run} columns=${columns} shade=${shade} isActive=${at === active.value} enter=${() => { active.value = at; }} />`)}</tbody>
  </table></div>`;
}

/** @param {{column: import("./columns.js").Column, order: string}} props */
function Head({ column, order }) {
  const label = t(column.label);
  if (!column.order) return html`<th class=${column.isNumber ? "number" : ""}>${label}</th>`;
  const isDown = order === `-${column.order}`;
  const isUp = order === column.order;
  const arrow = html`<span class="arrow" aria-hidden="true">${isDown ? "▾" : isUp ? "▴" : ""}</span>`;
  const next = isDown ? column.order : `-${column.order}`;
  return html`<th class=${column.isNumber ? "number" : ""} aria-sort=${isDown ? "descending" : isUp ? "ascending" : "none"}>
    <button class="sort" title=${t("list.sort", { label })} onClick=${() => change({ order: next === "-start" ? null : next, cursor: null, at: null }, true)}>
      ${column.isNumber ? html`${arrow}${label}` : html`${label}${arrow}`}</button></th>`;
}

/**
 * @param {{run: Run, columns: import("./columns.js").Column[], isActive: boolean, enter: () => void,
 *   shade: Map<string, ((value: number | null) => number) | undefined>}} props
 */
function Row({ run, columns, isActive, enter, shade }) {
  const { state, sign, words } = stateOf(run);
  const isSelected = selected.value.has(run.trace_id);
  const isSaid = isAnnotated(run);
  const isOld = outdated.value.has(run.trace_id);
  return html`<tr tabindex=${isActive ? 0 : -1} class=${isActive ? "active" : ""} aria-selected=${String(isSelected)} onFocus=${enter} onClick=${enter}>
    <td class="mark"><label><input type="checkbox" checked=${isSelected} aria-label=${t("list.select", { name: run.root_name })} onChange=${() => select(run.trace_id)} /></label>
      <span class="state s-${state}" title=${isOld ? `${words} · ${t("list.outdated")}` : words}><span aria-hidden="true">${sign}</span><span class="sr">${words}</span></span><i class="noted ${isSaid ? "on" : ""}" title=${isSaid ? t("list.annotated") : ""}>${isSaid && html`<span class="sr">${t("list.annotated")}</span>`}</i>${isOld && html`<i class="dot new"></i>`}</td>
    ${columns.map((column) => html`<td key=${column.name} class=${`c-${column.name}${column.isNumber ? " number" : ""} h${column.heat ? (shade.get(column.name)?.(column.heat(run)) ?? 0) : 0}`}
      role=${column.name === "name" ? "rowheader" : undefined} data-label=${t(column.label)} title=${column.title?.(run)}>${column.cell(run)}</td>`)}
  </tr>`;
}
