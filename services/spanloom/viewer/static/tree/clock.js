/** Computes the times of a run: a clock that can omit idle time, the time axis, concurrency, and the critical path. */
// Maps times of a run to positions on a timeline, with or without idle gaps, and back.

/** @typedef {import("./outline.js").Outline} Outline */

/** A gap longer than this share of the run is cut out; a seam remains. */
const LONG = 0.02;
const SEAM = 0.004;
/** Maximum share of all seams together. */
const SEAMS = 0.25;

/** Leaf rows: not hidden, without visible children; sorted by start. @param {import("./view.js").View} view */
export function leaves(view) {
  const { o, hidden, seen } = view;
  const rows = Uint32Array.from(o.start.keys()).filter((i) => !hidden[i] && seen[o.end[i]] === seen[i + 1]);
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
  /** @param {Outline} o @param {[number, number][]} cut the idle gaps to cut out, sorted and not overlapping */
  constructor(o, cut) {
    const all = cut.reduce((sum, [from, to]) => sum + to - from, 0);
    this.cut = cut;
    this.first = o.first;
    this.seam = (o.last - o.first - all) * Math.min(SEAM, SEAMS / cut.length);
    /** The total time that is cut out before each gap, and finally in all gaps. */
    this.lost = [0];
    for (const [from, to] of cut) this.lost.push(/** @type {number} */ (this.lost.at(-1)) + to - from - this.seam);
    /** The position of the end of the run. */
    this.last = this.of(o.last);
  }

  /** The position of a time on the clock, on which the gaps are cut out. @param {number} time */
  of(time) {
    const k = before(this.cut.length, (at) => this.cut[at][0] < time) - 1;
    if (k < 0) return time;
    const [from, to] = this.cut[k];
    return time - this.lost[k] - Math.min(1, (time - from) / (to - from)) * (to - from - this.seam);
  }

  /** The time at a position on the clock. @param {number} place */
  at(place) {
    const k = before(this.cut.length, (at) => this.cut[at][0] - this.lost[at] < place) - 1;
    if (k < 0) return place;
    const [from, to] = this.cut[k];
    const past = place - from + this.lost[k];
    return past < this.seam ? from + (past / this.seam) * (to - from) : place + this.lost[k + 1];
  }
}

/** Binary search: the number of indexes below `n` for which `isSo` is true; after the first index for which it is false, it must be false for all. @param {number} n @param {(at: number) => boolean} isSo */
function before(n, isSo) {
  let low = 0;
  for (let high = n; low < high; ) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The time axis of the visible rows; on the axis of a whole long run, bars would be hairlines.

/** Minimum share of the axis that the visible rows use. Only below this the axis is adjusted, so that it rarely moves. */
const LEAST = 0.6;

/**
 * Return the axis that spans the visible rows, or null if the current axis `now` can still be used.
 * @param {import("./view.js").View} view @param {number} at @param {number} shown the number of visible rows, from the position `at`
 * @param {[number, number]} now @param {Clock} clock
 * @returns {[number, number] | null}
 */
export function axisOf(view, at, shown, now, clock) {
  const { o, rows, count } = view;
  let from = Infinity;
  let to = -Infinity;
  for (let k = Math.max(0, at); k < Math.min(count, at + shown); k++) {
    const i = rows[k];
    from = Math.min(from, o.start[i]);
    if (!view.isOpen(i)) to = Math.max(to, view.loopAt(i)?.until ?? o.start[i] + o.dur[i]);
  }
  if (!(to > from)) return null;
  const [begin, end, left, right] = [from, to, ...now].map((time) => clock.of(time)); // with idle gaps cut out
  const pad = (end - begin) * 0.03;
  const isFit = begin >= left && end <= right && end - begin > (right - left) * LEAST;
  return isFit ? null : [clock.at(begin - pad), clock.at(end + pad)];
}

// Concurrency and critical path of a run.

/** The number of concurrent rows (`counts`) from each time at which it changes (`times`), and the largest number. @param {Outline} o @param {Uint32Array} rows @returns {{times: Float64Array, counts: Uint16Array, most: number}} */
export function concurrency(o, rows) {
  const starts = Float64Array.from(rows, (i) => o.start[i]).sort();
  const ends = Float64Array.from(rows, (i) => o.start[i] + o.dur[i]).sort();
  const times = new Float64Array(2 * rows.length);
  const counts = new Uint16Array(2 * rows.length);
  let most = 0;
  for (let k = 0, begun = 0, ended = 0; k < times.length; k++) {
    // A row that ends at the time when another row begins does not overlap that row.
    const isEnd = begun >= starts.length || ends[ended] <= starts[begun];
    times[k] = isEnd ? ends[ended++] : starts[begun++];
    counts[k] = Math.max(0, begun - ended);
    most = Math.max(most, counts[k]);
  }
  return { times, counts, most };
}

/**
 * Mark the critical path: going back in time from the end of the run, it has at each moment the child of the same
 * parent that ended last. Only a shorter row on this path can make the run shorter.
 * @param {import("./view.js").View} view @returns {Uint8Array} by rows
 */
export function criticalPath(view) {
  const { o, hidden } = view;
  const isOn = new Uint8Array(o.n);
  const below = children(o, hidden);
  const end = (/** @type {number} */ i) => o.start[i] + o.dur[i];
  /** @type {[number, number][]} the parents to visit, each with the latest end that its children may have */
  const todo = [[-1, Infinity]];
  for (let next = todo.pop(); next; next = todo.pop()) {
    let until = next[1];
    for (const i of (below.get(next[0]) ?? []).sort((a, b) => end(b) - end(a) || b - a)) {
      if (end(i) > until) continue;
      isOn[i] = 1;
      until = o.start[i];
      todo.push([i, end(i)]);
    }
  }
  return isOn;
}

/** The visible children by row; children of a hidden row count for its parent, rows without a parent for -1. @param {Outline} o @param {Uint8Array} hidden */
function children(o, hidden) {
  /** @type {Map<number, number[]>} */
  const below = new Map();
  const above = new Int32Array(o.n);
  for (let i = 0; i < o.n; i++) {
    const up = o.parent[i];
    above[i] = up >= 0 && hidden[up] ? above[up] : up;
    if (hidden[i]) continue;
    const list = below.get(above[i]);
    if (list) list.push(i);
    else below.set(above[i], [i]);
  }
  return below;
}
