/** Concurrency and critical path of a run. */
/** @typedef {import("./outline.js").Outline} Outline */

/** The number of concurrent rows from each point in time on. @param {Outline} o @param {Uint32Array} rows @returns {{times: Float64Array, counts: Uint16Array, most: number}} */
export function concurrency(o, rows) {
  const starts = Float64Array.from(rows, (i) => o.start[i]).sort();
  const ends = Float64Array.from(rows, (i) => o.start[i] + o.dur[i]).sort();
  const times = new Float64Array(2 * rows.length);
  const counts = new Uint16Array(2 * rows.length);
  let most = 0;
  for (let k = 0, begun = 0, ended = 0; k < times.length; k++) {
    // A row that ends when another begins is not concurrent with it.
    const isEnd = begun >= starts.length || ends[ended] <= starts[begun];
    times[k] = isEnd ? ends[ended++] : starts[begun++];
    counts[k] = Math.max(0, begun - ended);
    most = Math.max(most, counts[k]);
  }
  return { times, counts, most };
}

/**
 * Mark the critical path: going back from the end of the run, at each moment the child of the same
 * parent that ended last. Only a shorter row on this path can make the run shorter.
 * @param {import("./view.js").View} view @returns {Uint8Array} by rows
 */
export function criticalPath(view) {
  const { o, hidden } = view;
  const isOn = new Uint8Array(o.n);
  const below = children(o, hidden);
  const end = (/** @type {number} */ i) => o.start[i] + o.dur[i];
  /** @type {[number, number][]} parents to visit, and until when */
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

/** The children of each row, skipping hidden rows; rows without a parent are children of -1. @param {Outline} o @param {Uint8Array} hidden */
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
