/** The time of a run with or without its idle gaps: where a moment stands on the timeline, and back. */

/** @typedef {import("./outline.js").Outline} Outline */

/** A gap is cut out if it is longer than this share of the run; what is left of it is a seam. */
const LONG = 0.02;
const SEAM = 0.004;
/** All seams together are not wider than this share. */
const SEAMS = 0.25;

/** The rows at which something is done: not hidden, with nothing shown below them; by their starts. @param {import("./view.js").View} view */
export function leaves(view) {
  const { o, hidden } = view;
  const rows = Uint32Array.from(o.start.keys()).filter((i) => !hidden[i] && !view.has(i));
  return rows.sort((a, b) => o.start[a] - o.start[b] || a - b);
}

/** When nothing is done: pairs of beginning and end. @param {Outline} o @param {Uint32Array} rows by their starts @returns {[number, number][]} */
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
  /** @param {Outline} o @param {[number, number][]} cut what is left out; in order and apart */
  constructor(o, cut) {
    const all = cut.reduce((sum, [from, to]) => sum + to - from, 0);
    this.cut = cut;
    this.first = o.first;
    this.seam = (o.last - o.first - all) * Math.min(SEAM, SEAMS / cut.length);
    /** How much is left out before each cut, and behind the last. */
    this.lost = [0];
    for (const [from, to] of cut) this.lost.push(/** @type {number} */ (this.lost.at(-1)) + to - from - this.seam);
    /** Until where the clock runs: the end of the run, less what was cut. */
    this.last = this.of(o.last);
  }

  /** Where a moment stands. @param {number} time */
  of(time) {
    const k = before(this.cut.length, (at) => this.cut[at][0] < time) - 1;
    if (k < 0) return time;
    const [from, to] = this.cut[k];
    return time - this.lost[k] - Math.min(1, (time - from) / (to - from)) * (to - from - this.seam);
  }

  /** The moment that stands somewhere. @param {number} place */
  at(place) {
    const k = before(this.cut.length, (at) => this.cut[at][0] - this.lost[at] < place) - 1;
    if (k < 0) return place;
    const [from, to] = this.cut[k];
    const past = place - from + this.lost[k];
    return past < this.seam ? from + (past / this.seam) * (to - from) : place + this.lost[k + 1];
  }
}

/** How many at the front are so; behind the first that is not, none is. @param {number} n @param {(at: number) => boolean} isSo */
function before(n, isSo) {
  let low = 0;
  for (let high = n; low < high; ) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
