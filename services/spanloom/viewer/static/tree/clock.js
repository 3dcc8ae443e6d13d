/** Maps times of a run to positions on a timeline, with or without idle gaps, and back. */
/** @typedef {import("./outline.js").Outline} Outline */

/** A gap longer than this share of the run is cut out; a seam remains. */
const LONG = 0.02;
const SEAM = 0.004;
/** Maximum share of all seams together. */
const SEAMS = 0.25;

/** Leaf rows: not hidden, without visible children; sorted by start. @param {import("./view.js").View} view */
export function leaves(view) {
  const { o, hidden } = view;
  const rows = Uint32Array.from(o.start.keys()).filter((i) => !hidden[i] && !view.has(i));
  return rows.sort((a, b) => o.start[a] - o.start[b] || a - b);
}

/** Idle gaps: pairs of start and end. @param {Outline} o @param {Uint32Array} rows sorted by start @returns {[number, number][]} */
export function gaps(o, rows) {
  const least = o.pause ?? (o.last - o.first) * LONG;
  /** @type {[number, number][]} */
  const found = [];
  let until = o.first;
  for (const i of rows) {
    if (o.start[i] - until > least) found.push([until, o.start[i]]);
    until = Math.max(until, o.start[i] + o.dur[i]);
  }
  if (o.last - until > least) found.push([until, o.last]);
  return found;
}

export class Clock {
  /** @param {Outline} o @param {[number, number][]} cut the gaps to cut out; in order, not overlapping */
  constructor(o, cut) {
    const all = cut.reduce((sum, [from, to]) => sum + to - from, 0);
    this.cut = cut;
    this.first = o.first;
    this.seam = (o.last - o.first - all) * Math.min(SEAM, SEAMS / cut.length);
    /** Time cut out before each gap, and after the last. */
    this.lost = [0];
    for (const [from, to] of cut) this.lost.push(/** @type {number} */ (this.lost.at(-1)) + to - from - this.seam);
    /** The position of the end of the run. */
    this.last = this.of(o.last);
  }

  /** The position of a time. @param {number} time */
  of(time) {
    const k = before(this.cut.length, (at) => this.cut[at][0] < time) - 1;
    if (k < 0) return time;
    const [from, to] = this.cut[k];
    return time - this.lost[k] - Math.min(1, (time - from) / (to - from)) * (to - from - this.seam);
  }

  /** The time at a position. @param {number} place */
  at(place) {
    const k = before(this.cut.length, (at) => this.cut[at][0] - this.lost[at] < place) - 1;
    if (k < 0) return place;
    const [from, to] = this.cut[k];
    const past = place - from + this.lost[k];
    return past < this.seam ? from + (past / this.seam) * (to - from) : place + this.lost[k + 1];
  }
}

/** Binary search: the number of leading indexes for which `isSo` holds. @param {number} n @param {(at: number) => boolean} isSo */
function before(n, isSo) {
  let low = 0;
  for (let high = n; low < high; ) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
