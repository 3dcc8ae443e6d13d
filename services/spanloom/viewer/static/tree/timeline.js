/** The base of a timeline: its visible range, zoomed, panned or fitted, with or without idle time. */
import { Clock } from "./clock.js";

// Draws the marks of a timeline: concurrency, first tokens, the critical path, cuts, the playhead.

/** @typedef {import("./flame.js").Pen} Pen */

const STACK = { top: 16, high: 9 };

/** Draw the concurrency below the time labels, as heights. @param {Pen & {width: number}} pen @param {{times: Float64Array, counts: Uint16Array, most: number}} busy @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
export function stacked({ context, of, width }, { times, counts, most }, [from, to], clock) {
  const scale = width / (to - from);
  context.fillStyle = of.line;
  context.fillRect(0, STACK.top + STACK.high, width, 1);
  context.fillStyle = of.soft;
  let taken = 0;
  for (let k = 0; k + 1 < times.length; k++) {
    const end = Math.min(width, (clock.of(times[k + 1]) - from) * scale);
    const x = Math.max(0, (clock.of(times[k]) - from) * scale);
    if (end < taken + 0.5 || !counts[k]) continue; // each pixel is drawn once
    const high = Math.max(1, (counts[k] / most) * STACK.high);
    context.fillRect(Math.max(x, taken), STACK.top + STACK.high - high, Math.max(end - Math.max(x, taken), 0.5), high);
    taken = end;
    if (x > width) return;
  }
}

/** Mark the time of the first token. @param {Pen} pen @param {number} x @param {number} y @param {number} high */
export function notch({ context, of }, x, y, high) {
  context.fillStyle = of.page;
  context.fillRect(Math.round(x), y, 1, high);
  context.beginPath();
  context.moveTo(x - 2.5, y);
  context.lineTo(x + 3.5, y);
  context.lineTo(x + 0.5, y + 4);
  context.fill();
}

/** Mark a row that only propagated a failure. @param {Pen} pen @param {number} x @param {number} y @param {number} wide @param {number} high */
export function edges({ context, of }, x, y, wide, high) {
  context.fillStyle = of.error;
  for (const at of [y, y + high - 2]) context.fillRect(x, at, wide, 2);
}

/** Mark a row of the critical path. @param {Pen} pen @param {number} x @param {number} y @param {number} wide */
export function underline({ context, of }, x, y, wide) {
  context.fillStyle = of.page;
  context.fillRect(x, y - 1, wide, 1);
  context.fillStyle = of.accent;
  context.fillRect(x, y, wide, 2);
}

/** Mark where idle time was cut out. @param {Pen & {width: number, height: number}} pen @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
export function seams({ context, of, width, height }, [from, to], clock) {
  context.fillStyle = of.page;
  for (const [begin] of clock.cut) {
    const x = ((clock.of(begin) - from) / (to - from)) * width;
    const wide = Math.max(Math.min(3, width / clock.cut.length / 4), (clock.seam / (to - from)) * width);
    if (x + wide < 0 || x > width) continue;
    context.fillRect(x, 0, wide, height);
    if (wide < 2) continue;
    context.fillStyle = of.soft;
    for (let y = 0; y < height; y += 5) context.fillRect(Math.round(x + wide / 2), y, 1, 3);
    context.fillStyle = of.page;
  }
}

/** @param {Pen & {width: number, height: number}} pen @param {[number, number]} axis @param {number} at the position of the playhead on the clock */
export function playhead({ context, of, width, height }, [from, to], at) {
  const x = ((at - from) / (to - from)) * width;
  context.fillStyle = of.accent;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
}

/** The data that a timeline shows besides its rows: the clock of its positions, the concurrency, the rows of the critical path. @typedef {{clock: Clock, busy: ReturnType<typeof import("./clock.js").concurrency> | null, critical: Uint8Array | null}} More */
// The visible range.

/** @typedef {{pick: (i: number) => void, seek: (time: number) => void, zoomed: (axis: [number, number], isWhole: boolean) => void}} Listener */

export class Timeline {
  /** @param {HTMLCanvasElement} canvas @param {import("./outline.js").Outline} o @param {Listener} listener */
  constructor(canvas, o, listener) {
    this.canvas = canvas;
    this.o = o;
    this.listener = listener;
    /** @type {More} */
    this.more = { clock: new Clock(o, []), busy: null, critical: null };
    /** The visible range, as positions on the clock. @type {[number, number]} */
    this.axis = [o.first, o.last];
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.whole());
  }

  /** Redraw in the next frame. */
  schedule() {}

  /** The wheel zooms at the pointer, with Shift it pans. @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    const [from, to] = this.axis;
    const way = event.deltaY || event.deltaX;
    const share = event.offsetX / this.canvas.clientWidth;
    const by = (way / this.canvas.clientWidth) * (to - from);
    const factor = Math.exp(way * 0.002);
    const middle = from + share * (to - from);
    if (event.shiftKey) this.zoom(from + by, to + by);
    else this.zoom(middle - share * (to - from) * factor, middle + (1 - share) * (to - from) * factor);
  }

  /** Set what is drawn besides the rows; if the whole run is visible, it stays visible when the run grows. @param {More} more */
  show(more) {
    const isOther = more.clock.cut.length !== this.more.clock.cut.length || this.isWhole();
    this.more = more;
    if (isOther) this.whole();
    this.schedule();
  }

  isWhole() {
    return this.axis[0] <= this.o.first && this.axis[1] >= this.more.clock.last;
  }

  whole() {
    this.zoom(this.o.first, this.more.clock.last);
  }

  /** @param {number} x */
  timeAt(x) {
    const [from, to] = this.axis;
    return this.more.clock.at(from + (x / this.canvas.clientWidth) * (to - from));
  }

  /** @param {number} from @param {number} to */
  zoom(from, to) {
    const { clock } = this.more;
    const [first, last] = [this.o.first, clock.last];
    const span = Math.max(20, Math.min(to - from, last - first));
    const begin = Math.max(first, Math.min(from, last - span));
    this.axis = [begin, begin + span];
    this.listener.zoomed([clock.at(begin), clock.at(begin + span)], span >= last - first);
    this.schedule();
  }
}
