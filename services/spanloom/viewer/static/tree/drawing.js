/** Draws parts of the timeline. */
import { duration } from "../format.js";
import { line } from "../ui/html.js";
import { ms } from "./outline.js";

/** @typedef {{context: CanvasRenderingContext2D, of: Record<string, string>}} Pen */

/** Draw time grid lines, labelled with the time since the start. @param {Pen & {width: number, height: number}} pen @param {import("./outline.js").Outline} o @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
export function ticks({ context, of, width, height }, o, [from, to], clock) {
  const count = Math.max(2, Math.floor(width / 160));
  for (let k = 0; k < count; k++) {
    const x = Math.round((width * k) / count);
    context.fillStyle = of.line;
    if (k) context.fillRect(x, 0, 1, height);
    context.fillStyle = of.soft;
    context.fillText(duration(ms(o, clock.at(from + ((to - from) * k) / count) - o.first)), x + 4, 11);
  }
}

/** Draw a frame around the selected row. @param {Pen} pen @param {number} x @param {number} y @param {number} wide @param {number} high */
export function frame({ context, of }, x, y, wide, high) {
  context.strokeStyle = of.accent;
  context.lineWidth = 2;
  context.strokeRect(x + 1, y + 1, Math.max(wide - 2, 1), high - 2);
  context.lineWidth = 1;
}

/** Draw the name in a rectangle. @param {Pen} pen @param {string} name @param {number} x @param {number} y @param {number} wide */
export function label({ context, of }, name, x, y, wide) {
  context.fillStyle = of.page;
  const letters = Math.floor((wide - 8) / 5.2);
  if (letters > 2) context.fillText(line(name, letters), x + 4, y + 10);
}
