/**
 * A chart over time: stacked bars, or lines. Arrow keys or the pointer choose an interval, whose values are
 * shown as text; dragging, or Shift with the arrows, chooses several. A table shows the same values.
 */
import { useState } from "../vendor/hooks.js";
import { clock, moment } from "../format.js";
import "../i18n/charts.js";
import { t } from "../i18n/index.js";
import { html } from "./html.js";

/** @typedef {import("../state/range.js").Slot} Slot */
/** A series of bars or a line: its name, its colour (a class), and a value for each interval, null if there is none. @typedef {{name: string, tone: string, values: (number | null)[]}} Series */
/**
 * @typedef {{label: string, slots: Slot[], series: Series[], format: (value: number) => string, isLine?: boolean,
 *   pick?: (from: number, to: number) => void, isThin?: boolean}} Props
 *   `pick`: opens the runs of the intervals `from` to `to`; `isThin`: without axis and table
 */

const HEIGHT = 100;

/** @param {Props} props */
export function Chart({ label, slots, series, format, isLine = false, pick, isThin = false }) {
  const [chosen, setAt] = useState(-1);
  const [held, setAnchor] = useState(-1);
  const [at, anchor] = [chosen, held].map((one) => (one < slots.length ? one : -1)); // the positions may be from a previous chart with more slots
  const top = most(series, isLine);
  const from = anchor < 0 ? at : Math.min(at, anchor);
  const to = Math.max(at, anchor);
  const words = at < 0 ? "" : `${span(slots[from], slots[to])}: ${series.map((one) => `${one.name} ${shown(total(one, from, to, isLine), format)}`).join(", ")}`;
  const summary = t("chart.summary", { label, most: format(top) });
  return html`<figure class="chart ${isThin ? "thin" : ""}"><figcaption><span>${label}</span>${!isThin && series.length > 1 && html`<${Legend} series=${series} />`}<output>${words}</output></figcaption>
    <div class="plot"><svg role="img" aria-label=${summary} viewBox=${`0 0 ${slots.length} ${HEIGHT}`} preserveAspectRatio="none">
        ${from >= 0 && html`<rect class="here" x=${from} y="0" width=${to - from + 1} height=${HEIGHT} />`}
        ${isLine ? series.map((one) => html`<path class="line ${one.tone}" d=${lineOf(one.values, top)} />`) : slots.map((_, i) => stack(series, i, top))}
      </svg>
      <${Cursor} label=${label} words=${words} count=${slots.length} at=${at} anchor=${anchor} move=${setAt} hold=${setAnchor} pick=${pick} />
      ${!isThin && html`<span class="top-value" aria-hidden="true">${top ? format(top) : ""}</span>`}</div>
    ${!isThin && html`<${Axis} slots=${slots} /><${Numbers} slots=${slots} series=${series} format=${format} />`}
  </figure>`;
}

/** @param {{series: Series[]}} props */
const Legend = ({ series }) => html`<span class="legend">${series.map((one) => html`<span><i class=${one.tone}></i> ${one.name}</span>`)}</span>`;

/** The largest value on a chart: of a stack of bars, or of a point of a line. @param {Series[]} series @param {boolean} isLine */
function most(series, isLine) {
  const sums = (series[0]?.values ?? []).map((_, i) => series.map((one) => one.values[i] ?? 0).reduce((a, b) => (isLine ? Math.max(a, b) : a + b), 0));
  return sums.reduce((a, b) => Math.max(a, b), 0);
}

/** The number to show for a range of intervals. For bars it is the sum; for lines there is a number only if the range is a single interval. @param {Series} one @param {number} from @param {number} to @param {boolean} isLine */
function total({ values }, from, to, isLine) {
  const known = values.slice(from, to + 1).filter((value) => value !== null);
  if (isLine && to > from) return null;
  return known.length ? known.reduce((a, b) => a + b, 0) : null;
}

/** @param {number | null} value @param {(value: number) => string} format */
const shown = (value, format) => (value === null ? "–" : format(value));

/** @param {Slot} first @param {Slot} last */
const span = (first, last) => `${clock(first.start)} – ${clock(last.end)}`;

/** The stacked bars of an interval. @param {Series[]} series @param {number} i @param {number} top */
function stack(series, i, top) {
  let above = HEIGHT;
  return series.map((one) => {
    const value = one.values[i] ?? 0;
    if (!value || !top) return "";
    const height = Math.max((value / top) * HEIGHT, 2);
    above = Math.max(above - height, 0);
    return html`<rect class=${one.tone} x=${i + 0.08} y=${above} width="0.84" height=${height} />`;
  });
}

/** The SVG path of a line, with gaps where there is no value; a value between gaps is a short line. @param {(number | null)[]} values @param {number} top */
function lineOf(values, top) {
  let isDrawing = false;
  return values.map((value, i) => {
    if (value === null) { isDrawing = false; return ""; }
    const y = top ? (HEIGHT - (value / top) * (HEIGHT - 2)).toFixed(2) : HEIGHT;
    const step = isDrawing ? `L${i + 0.5} ${y}` : `M${i + 0.2} ${y}L${i + 0.5} ${y}`;
    isDrawing = true;
    return values[i + 1] === null || i + 1 === values.length ? `${step}L${i + 0.8} ${y}` : step;
  }).join("");
}

/**
 * The layer of the chart that handles pointer and keys.
 * @param {{label: string, words: string, count: number, at: number, anchor: number, move: (at: number) => void, hold: (at: number) => void, pick?: (from: number, to: number) => void}} props
 */
function Cursor({ label, words, count, at, anchor, move, hold, pick }) {
  /** @param {PointerEvent} event */
  const slotUnder = (event) => {
    const box = /** @type {HTMLElement} */ (event.currentTarget).getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)));
  };
  /** @param {number} end */
  const open = (end) => {
    if (end >= 0) pick?.(anchor < 0 ? end : Math.min(anchor, end), Math.max(anchor, end));
    hold(-1);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const to = { ArrowLeft: at < 0 ? count - 1 : at - 1, ArrowRight: at + 1, Home: 0, End: count - 1 }[event.key];
    if (event.key === "Enter" || event.key === " ") open(at);
    else if (event.key === "Escape") { hold(-1); move(-1); } else if (to === undefined) return;
    else { hold(event.shiftKey ? (anchor < 0 ? Math.max(at, 0) : anchor) : -1); move(Math.max(0, Math.min(count - 1, to))); }
    event.preventDefault();
    event.stopPropagation();
  };
  return html`<div class="cursor ${pick ? "picks" : ""}" role="slider" tabindex="0" aria-label=${label} aria-valuemin="0" aria-valuemax=${Math.max(0, count - 1)} aria-valuenow=${Math.max(0, at)} aria-valuetext=${words || t("chart.keys")}
    title=${words} onKeyDown=${press}
    onPointerMove=${(/** @type {PointerEvent} */ event) => move(slotUnder(event))}
    onPointerDown=${(/** @type {PointerEvent} */ event) => { if (event.button) return; /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId); hold(slotUnder(event)); move(slotUnder(event)); }}
    onPointerUp=${(/** @type {PointerEvent} */ event) => { if (anchor >= 0) open(slotUnder(event)); }}
    onPointerCancel=${() => hold(-1)} onPointerLeave=${() => { if (anchor < 0) move(-1); }} onBlur=${() => { move(-1); hold(-1); }}></div>`;
}

/** @param {{slots: Slot[]}} props */
function Axis({ slots }) {
  const ticks = [0, Math.floor(slots.length / 2), slots.length - 1].filter((at, i, all) => at >= 0 && all.indexOf(at) === i);
  return html`<div class="axis" aria-hidden="true">${ticks.map((at) => html`<span>${clock(slots[at].start, undefined, slots[at].end - slots[at].start < 60_000)}</span>`)}</div>`;
}

/** The same numbers as a table, rendered when it is opened. @param {Pick<Props, "slots" | "series" | "format">} props */
function Numbers({ slots, series, format }) {
  const [isOpen, setOpen] = useState(false);
  return html`<details onToggle=${(/** @type {Event} */ event) => setOpen(/** @type {HTMLDetailsElement} */ (event.target).open)}><summary>${t("chart.table")}</summary>
    ${isOpen && html`<div class="wide"><table class="sheet-table"><thead><tr><th>${t("chart.from")}</th>${series.map((one) => html`<th class="number">${one.name}</th>`)}</tr></thead>
      <tbody>${slots.map((slot, i) => html`<tr><th scope="row">${moment(slot.start)}</th>${series.map((one) => html`<td class="number">${shown(one.values[i], format)}</td>`)}</tr>`)}</tbody></table></div>`}</details>`;
}
