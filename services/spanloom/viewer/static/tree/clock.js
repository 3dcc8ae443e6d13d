/** The time of a run with or without its idle gaps: where a moment stands on the timeline, and back. */

/** @typedef {import("./outline.js").Outline} Outline */

/** A gap is cut out if it is longer than this share of the run; what is left of it is a seam. */
const LONG = 0.02;
const SEAM = 0.004;

/** The rows at which something is done: not hidden, with nothing shown below them; by their starts. @param {import("./view.js").View} view */
export function leaves(view) {
  const { o, hidden } = view;
  const rows = Uint32Array.from(o.start.keys()).filter((i) => !hidden[i] && !view.has(i));
  return rows.sort((a, b) => o.start[a] - o.start[b] || a - b);
}

/** When nothing is done: pairs of beginning and end. @param {Outline} o @param {Uint32Array} rows by their starts @returns {[number, number][]} */
export function gaps(o, rows) {
  const least = (o.last - o.first) * LONG;
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
    const lost = cut.reduce((sum, [from, to]) => sum + to - from, 0);
    this.cut = cut;
    this.first = o.first;
    this.seam = (o.last - o.first - lost) * SEAM;
    /** Until where the clock runs: the end of the run, less what was cut. */
    this.last = this.of(o.last);
  }

  /** Where a moment stands. @param {number} time */
  of(time) {
    let lost = 0;
    for (const [from, to] of this.cut) {
      if (time <= from) break;
      lost += Math.min(time, to) - from - (this.seam * (Math.min(time, to) - from)) / (to - from);
    }
    return time - lost;
  }

  /** The moment that stands somewhere. @param {number} place */
  at(place) {
    let lost = 0;
    for (const [from, to] of this.cut) {
      const begin = from - lost;
      if (place <= begin) break;
      if (place < begin + this.seam) return from + ((place - begin) / this.seam) * (to - from);
      lost += to - from - this.seam;
    }
    return place + lost;
  }
}
