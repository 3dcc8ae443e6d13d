/**
 * The timeline of the whole run: a lane for each level, a rectangle for each span. Lanes are sorted by
 * start, and a span that begins on the same pixel as the previous span is skipped, so a frame draws at most
 * lanes times pixels, for any number of spans. The rows of the tree have the same contents.
 */
import { duration } from "../format.js";
import { ERROR } from "../service.js";
import { line } from "../ui/html.js";
import { isPassed, ms } from "./outline.js";
import { colors, fitted } from "./strip.js";
import { edges, notch, playhead, seams, stacked, Timeline, underline } from "./timeline.js";

// Draws parts of the timeline.

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

// Rows by level, each level sorted by start, for drawing a timeline and hit testing.

export class Lanes {
  /** @param {import("./outline.js").Outline} o @param {Uint32Array} first @param {Uint32Array} rows */
  constructor(o, first, rows) {
    this.o = o;
    this.count = first.length - 1;
    this.first = first;
    this.rows = rows;
  }

  /** The index, in `rows`, of the first row of a lane that starts after a time. @param {number} lane @param {number} time */
  after(lane, time) {
    let low = this.first[lane];
    let high = this.first[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.o.start[this.rows[middle]] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The range of rows in a lane that may be visible between two times. @param {number} lane @param {number} from @param {number} to */
  between(lane, from, to) {
    // Rows of a lane may overlap, so a row that began long before may still run; a few earlier rows are checked.
    const begin = Math.max(this.first[lane], this.after(lane, from) - 32);
    return this.rows.subarray(begin, this.after(lane, to));
  }

  /** The row of a lane at a time, or -1. @param {number} lane @param {number} time @param {number} pixel the duration that a pixel covers */
  at(lane, time, pixel) {
    if (lane < 0 || lane >= this.count) return -1;
    const { o, rows } = this;
    const to = this.after(lane, time);
    for (let k = to - 1; k >= Math.max(this.first[lane], to - 32); k--) {
      if (o.start[rows[k]] + o.dur[rows[k]] + pixel >= time) return rows[k];
    }
    return -1;
  }
}

/**
 * Return the lanes with the rows that are not hidden, each lane sorted by start.
 * @param {import("./outline.js").Outline} o @param {Uint16Array} lane @param {Uint8Array} hidden
 */
export function lanes(o, lane, hidden) {
  const count = lane.reduce((most, at, i) => (hidden[i] ? most : Math.max(most, at)), 0) + 1;
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < o.n; i++) if (!hidden[i]) first[lane[i] + 1]++;
  for (let at = 0; at < count; at++) first[at + 1] += first[at];
  const next = first.slice();
  const rows = new Uint32Array(first[count]);
  for (let i = 0; i < o.n; i++) if (!hidden[i]) rows[next[lane[i]]++] = i;
  for (let at = 0; at < count; at++) rows.subarray(first[at], first[at + 1]).sort((a, b) => o.start[a] - o.start[b]);
  return new Lanes(o, first, rows);
}

// The timeline of the whole run.

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
    /** The time of the playhead. @type {number | null} */
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
      if (wide > 3) context.fillRect(x - 1, y, 1, high - 1); // a gap, in case an earlier row of the lane still runs
      const isError = (o.flags[i] & ERROR) > 0;
      const isBegun = isError && !isPassed(o, i);
      context.fillStyle = isBegun ? of.error : (of[o.kinds[o.kind[i]]] ?? of.soft);
      context.fillRect(x, y, wide, high - 1);
      if (isError && !isBegun) edges({ context, of }, x, y, wide, high - 1);
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

  /** Recompute the lanes and redraw, after framework spans were shown or hidden, or another outline was loaded. */
  changed() {
    const isWhole = this.isWhole();
    this.o = this.view.o;
    if (isWhole) this.whole();
    this.lanes = lanes(this.o, this.view.lane, this.view.hidden);
    this.fit();
    this.schedule();
  }

  /** Mark a row after a pause, so that rows that are passed quickly are not drawn. @param {number} i */
  select(i) {
    this.active = i;
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.schedule(), 60);
  }
}
