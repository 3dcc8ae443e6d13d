/**
 * The timeline: a lane for each level, a rectangle for each span, the whole run at a glance. Lanes are
 * sorted by start, and what begins on the pixel of the one before is passed over: a frame draws at most
 * lanes times pixels, however many spans there are. Everything in it is in a row of the tree too.
 */
import { duration } from "../format.js";
import { line } from "../ui/visible.js";
import { colors, fitted } from "./colors.js";
import { frame, label, ticks } from "./drawing.js";
import { lanes } from "./lanes.js";
import { ERROR, ms } from "./outline.js";

const AXIS = 16;
const MOST = 14;

export class Flame {
  /** @param {HTMLCanvasElement} canvas @param {import("./view.js").View} view @param {{pick: (i: number) => void, zoomed: (axis: [number, number], isWhole: boolean) => void}} listener */
  constructor(canvas, view, listener) {
    const { o } = view;
    this.canvas = canvas;
    this.o = o;
    this.view = view;
    this.listener = listener;
    this.lanes = lanes(o, view.lane, view.hidden);
    this.fit();
    /** @type {[number, number]} */
    this.axis = [o.first, o.last];
    this.active = -1;
    this.frame = 0;
    this.calm = 0;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => this.zoom(o.first, o.last));
    canvas.addEventListener("click", (event) => {
      const i = this.at(event.offsetX, event.offsetY);
      if (i >= 0) listener.pick(i);
    });
    canvas.addEventListener("pointermove", (event) => this.name(event));
    new ResizeObserver(() => this.schedule()).observe(canvas);
  }

  /** Be as high as the lanes need, up to what the style sheet allows. */
  fit() {
    this.canvas.style.height = `${AXIS + this.lanes.count * MOST + 5}px`;
  }

  /** Wheel zooms at the pointer, with Shift it pans. @param {WheelEvent} event */
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

  /** @param {number} from @param {number} to */
  zoom(from, to) {
    const { first, last } = this.o;
    const span = Math.max(20, Math.min(to - from, last - first));
    const begin = Math.max(first, Math.min(from, last - span));
    this.axis = [begin, begin + span];
    this.listener.zoomed(this.axis, span >= last - first);
    this.schedule();
  }

  schedule() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  lane() {
    return Math.max(2, Math.min(MOST, (this.canvas.clientHeight - AXIS) / this.lanes.count));
  }

  paint() {
    const { context, width, height } = fitted(this.canvas);
    const of = colors();
    context.fillStyle = of.page;
    context.fillRect(0, 0, width, height);
    context.font = "10px system-ui, sans-serif";
    ticks({ context, of, width, height }, this.o, this.axis);
    for (let lane = 0; lane < this.lanes.count; lane++) this.paintLane(context, of, lane, width);
  }

  /** @param {CanvasRenderingContext2D} context @param {Record<string, string>} of @param {number} lane @param {number} width */
  paintLane(context, of, lane, width) {
    const { o } = this;
    const [from, to] = this.axis;
    const scale = width / (to - from);
    const high = this.lane();
    const y = AXIS + lane * high;
    let taken = -1;
    for (const i of this.lanes.between(lane, from, to)) {
      const end = (o.start[i] + o.dur[i] - from) * scale;
      const x = Math.max((o.start[i] - from) * scale, 0);
      if (end < 0 || (x - taken < 0.8 && x > 0 && i !== this.active)) continue;
      const wide = Math.max(Math.min(end, width) - x, 1);
      context.fillStyle = of.page;
      if (wide > 3) context.fillRect(x - 1, y, 1, high - 1); // tells it from what still goes on
      context.fillStyle = o.flags[i] & ERROR ? of.error : of[o.kinds[o.kind[i]]];
      context.fillRect(x, y, wide, high - 1);
      taken = x;
      if (i === this.active) frame({ context, of }, x, y, Math.max(wide, 3), high - 1);
      if (wide > 50 && high > 10) label({ context, of }, o.names[o.name[i]], x, y, wide);
    }
  }

  /** The row at a point, or -1. @param {number} x @param {number} y */
  at(x, y) {
    const [from, to] = this.axis;
    const pixel = (to - from) / this.canvas.clientWidth;
    return y < AXIS ? -1 : this.lanes.at(Math.floor((y - AXIS) / this.lane()), from + x * pixel, pixel);
  }

  /** @param {PointerEvent} event */
  name(event) {
    const i = this.at(event.offsetX, event.offsetY);
    const { o } = this;
    this.canvas.title = i < 0 ? "" : `${line(o.names[o.name[i]], 80)} · ${duration(ms(o, o.dur[i]))}`;
    this.canvas.style.cursor = i < 0 ? "" : "pointer";
  }

  /** Framework spans came or went. */
  changed() {
    this.lanes = lanes(this.o, this.view.lane, this.view.hidden);
    this.fit();
    this.schedule();
  }

  /** Mark a row, once nobody passes on to the next. @param {number} i */
  select(i) {
    this.active = i;
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.schedule(), 60);
  }
}
