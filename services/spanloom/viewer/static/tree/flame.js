/**
 * The timeline of the whole run: a lane for each level, a rectangle for each span. Lanes are sorted by
 * start, and a span that begins on the same pixel as the previous one is skipped: a frame draws at most
 * lanes times pixels, for any number of spans. All its content is in the rows of the tree too.
 */
import { duration } from "../format.js";
import { line } from "../ui/html.js";
import { colors, fitted } from "./colors.js";
import { frame, label, ticks } from "./drawing.js";
import { notch, playhead, seams, stacked, underline } from "./marks.js";
import { lanes } from "./lanes.js";
import { ERROR, ms } from "./outline.js";
import { Timeline } from "./timeline.js";

const AXIS = 28;
const MOST = 14;

/** @typedef {import("./timeline.js").Listener} Listener */

export class Flame extends Timeline {
  /** @param {HTMLCanvasElement} canvas @param {import("./view.js").View} view @param {Listener} listener */
  constructor(canvas, view, listener) {
    const { o } = view;
    super(canvas, o, listener);
    this.view = view;
    this.lanes = lanes(o, view.lane, view.hidden);
    /** The position of the playhead. @type {number | null} */
    this.head = null;
    this.fit();
    this.active = -1;
    this.frame = 0;
    this.calm = 0;
    canvas.addEventListener("click", (event) => {
      const i = this.at(event.offsetX, event.offsetY);
      if (i >= 0) listener.pick(i);
      else if (event.offsetY < AXIS) listener.seek(this.timeAt(event.offsetX));
    });
    canvas.addEventListener("pointermove", (event) => this.name(event));
    new ResizeObserver(() => this.schedule()).observe(canvas);
  }

  /** Set the height that the lanes need, up to the limit of the style sheet. */
  fit() {
    this.canvas.style.height = `${AXIS + this.lanes.count * MOST + 5}px`;
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
    context.font = `10px ${of.font}`;
    const pen = { context, of, width, height };
    ticks(pen, this.o, this.axis, this.more.clock);
    if (this.more.busy) stacked(pen, this.more.busy, this.axis, this.more.clock);
    for (let lane = 0; lane < this.lanes.count; lane++) this.paintLane(context, of, lane, width);
    seams(pen, this.axis, this.more.clock);
    if (this.head !== null) playhead(pen, this.axis, this.more.clock.of(this.head));
  }

  /** @param {CanvasRenderingContext2D} context @param {Record<string, string>} of @param {number} lane @param {number} width */
  paintLane(context, of, lane, width) {
    const { o } = this;
    const { clock, critical } = this.more;
    const [from, to] = this.axis;
    const scale = width / (to - from);
    const high = this.lane();
    const y = AXIS + lane * high;
    let taken = -1;
    for (const i of this.lanes.between(lane, clock.at(from), clock.at(to))) {
      const end = (clock.of(o.start[i] + o.dur[i]) - from) * scale;
      const x = Math.max((clock.of(o.start[i]) - from) * scale, 0);
      if (end < 0 || (x - taken < 0.8 && x > 0 && i !== this.active)) continue;
      const wide = Math.max(Math.min(end, width) - x, 1);
      context.fillStyle = of.page;
      if (wide > 3) context.fillRect(x - 1, y, 1, high - 1); // separates it from a row that still runs
      context.fillStyle = o.flags[i] & ERROR ? of.error : (of[o.kinds[o.kind[i]]] ?? of.soft);
      context.fillRect(x, y, wide, high - 1);
      taken = x;
      if (o.ttft?.[i] && wide > 6) notch({ context, of }, (clock.of(o.start[i] + o.ttft[i]) - from) * scale, y, high - 1);
      if (critical?.[i]) underline({ context, of }, x, y + high - 3, wide);
      if (i === this.active) frame({ context, of }, x, y, Math.max(wide, 3), high - 1);
      if (wide > 50 && high > 10) label({ context, of }, o.names[o.name[i]], x, y, wide);
    }
  }

  /** The row at a point, or -1. @param {number} x @param {number} y */
  at(x, y) {
    const time = this.timeAt(x);
    return y < AXIS ? -1 : this.lanes.at(Math.floor((y - AXIS) / this.lane()), time, this.timeAt(x + 1) - time);
  }

  /** @param {PointerEvent} event */
  name(event) {
    const i = this.at(event.offsetX, event.offsetY);
    const { o } = this;
    this.canvas.title = i < 0 ? "" : `${line(o.names[o.name[i]], 80)} · ${duration(ms(o, o.dur[i]))}`;
    this.canvas.style.cursor = i < 0 ? "" : "pointer";
  }

  /** Redraw after framework spans were shown or hidden, or another outline was loaded. */
  changed() {
    const isWhole = this.isWhole();
    this.o = this.view.o;
    if (isWhole) this.whole();
    this.lanes = lanes(this.o, this.view.lane, this.view.hidden);
    this.fit();
    this.schedule();
  }

  /** Mark a row, after a pause, so that rows passed quickly are not drawn. @param {number} i */
  select(i) {
    this.active = i;
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.schedule(), 60);
  }
}
