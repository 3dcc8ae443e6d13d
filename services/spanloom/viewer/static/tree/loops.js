/** Finds loops: the same tool call several times in a row, which the tree shows as one row that can be opened. */
import { isFault, isStep, REPEATED } from "./outline.js";

/** @typedef {import("./outline.js").Outline} Outline */
/**
 * `first`: the row of the first call; `end`: the row after the last call and its descendants; `until`: when the
 * last call ended;
 * `tokens`, `errors`: sums of all rows, including model calls in between.
 * @typedef {{first: number, end: number, times: number, until: number, tokens: number, errors: number}} Loop
 */

/** Minimum number of calls in a loop; fewer calls are shown as separate rows. */
const LEAST = 3;

/** The loops of an outline by their first rows. @param {Outline} o @returns {Map<number, Loop>} */
export function loopsOf(o) {
  /** @type {Map<number, Loop>} */
  const loops = new Map();
  const model = o.kinds.indexOf("model");
  let [first, last, times] = [-1, -1, 0];
  const flush = (/** @type {number} */ next) => {
    const end = times < LEAST ? 0 : closed(o, first, last);
    if (end && end <= next) loops.set(first, { first, end, times, ...sums(o, first, end) });
  };
  for (let i = 0; i < o.n; i++) {
    if (o.kind[i] === model || !isStep(o, i)) continue;
    if (o.flags[i] & REPEATED) times += 1;
    else {
      flush(i);
      [first, times] = [i, 1];
    }
    last = i;
  }
  flush(o.n);
  return loops;
}

/** The row after the last call of a loop and after all framework spans that contain only that call. @param {Outline} o @param {number} first @param {number} last */
function closed(o, first, last) {
  let top = last;
  while (o.parent[top] > first) top = o.parent[top];
  return o.end[top];
}

/** @param {Outline} o @param {number} first @param {number} end */
function sums(o, first, end) {
  let [until, tokens, errors] = [0, 0, 0];
  for (let i = first; i < end; i++) {
    until = Math.max(until, o.start[i] + o.dur[i]);
    tokens += o.tin[i] + o.tout[i];
    errors += Number(isFault(o, i));
  }
  return { until, tokens, errors };
}

/** For each row that an opened loop shows directly below its first call, the row of the first call; -1 for other rows. @param {Outline} o @param {Map<number, Loop>} loops */
export function headsOf(o, loops) {
  const heads = new Int32Array(o.n).fill(-1);
  for (const { first, end } of loops.values()) {
    for (let i = o.end[first]; i < end; i++) if (o.parent[i] < first) heads[i] = first;
  }
  return heads;
}
