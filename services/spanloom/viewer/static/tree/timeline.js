/** The visible part of a timeline: zoomed by wheel, panned, fitted, with or without idle time. */
import { Clock } from "./clock.js";

/** What is drawn in addition to the rows. @typedef {{clock: Clock, busy: ReturnType<typeof import("./busy.js").concurrency> | null, critical: Uint8Array | null}} More */
/** @typedef {{pick: (i: number) => void, seek: (time: number) => void, zoomed: (axis: [number, number], isWhole: boolean) => void}} Listener */

export class Timeline {
  /** @param {HTMLCanvasElement} canvas @param {import("./outline.js").Outline} o @param {Listener} listener */
  constructor(canvas, o, listener) {
    this.canvas = canvas;
    this.o = o;
    this.listener = listener;
    /** @type {More} */
    this.more = { clock: new Clock(o, []), busy: null, critical: null };
    /** The visible range, on the clock. @type {[number, number]} */
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

  /** Set what is drawn in addition to the rows. @param {More} more */
  show(more) {
    const isOther = more.clock.cut.length !== this.more.clock.cut.length;
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
