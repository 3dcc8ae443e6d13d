/** Shows a difference with its confidence interval, in numbers and as a drawing. */
import { html } from "../ui/html.js";

const WIDTH = 120;
const HEIGHT = 14;
const EDGE = 5;

/** The drawing: the interval as a line, the difference as a dot, zero as a tick. Screen readers skip it, because the numbers are next to it. @param {{low: number, high: number, value: number, from?: number, to?: number}} props `from`, `to`: the ends of the axis */
export function Drawing({ low, high, value, from = Math.min(low, 0), to = Math.max(high, 0) }) {
  const at = (/** @type {number} */ one) => EDGE + ((one - from) / (to - from || 1)) * (WIDTH - 2 * EDGE);
  return html`<svg class="interval" aria-hidden="true" width=${WIDTH} height=${HEIGHT} viewBox="0 0 ${WIDTH} ${HEIGHT}">
    ${from <= 0 && to >= 0 && html`<line class="zero" x1=${at(0)} x2=${at(0)} y1="0" y2=${HEIGHT} />`}
    <line x1=${at(low)} x2=${at(high)} y1=${HEIGHT / 2} y2=${HEIGHT / 2} /><circle cx=${at(value)} cy=${HEIGHT / 2} r="3" /></svg>`;
}

/** A number with its sign. @param {number} value @param {(value: number) => string} shown */
export const signed = (value, shown) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${shown(Math.abs(value))}`;
