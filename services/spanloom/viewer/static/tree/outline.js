/**
 * The outline of a run: columns of numbers, a row for each span in preorder (ADR 38). The tree is
 * computed from the depths in one pass; no object is created per row.
 */
/**
 * Times are in units of `unit` nanoseconds from the start of the first row.
 * @typedef {{n: number, version: number, origin: bigint, unit: number, kinds: string[], names: string[], agents: string[],
 *   id: Uint8Array, ttft?: Uint32Array, start: Int32Array | Float64Array, dur: Uint32Array | Float64Array, tin: Uint32Array, tout: Uint32Array,
 *   name: Uint16Array | Uint32Array, agent: Uint16Array | Uint32Array, depth: Uint16Array, kind: Uint8Array, flags: Uint8Array,
 *   parent: Int32Array, end: Uint32Array, first: number, last: number, tokens: Float64Array, errors: Uint32Array, passed: Uint8Array,
 *   runs?: import("../conversation/join.js").Runs, pause?: number}} Outline
 *   `ttft`: time to the first token, 0 if unknown; older outlines have none. `end`: the row after a row's
 *   subtree; `tokens`, `errors`: sums of subtrees; `passed`: whether the failure of a row began in a row below
 *   it; `first`, `last`: when the run began and ended;
 *   for several runs in one outline: `runs` are the runs, `pause` the minimum idle time that is cut out
 */
import { ERROR, MERGED, NO_STEP, REPEATED } from "../service.js";

/** Parse the bytes of an outline; throws if they are invalid. @param {ArrayBuffer} buffer @returns {Outline} */
export function decode(buffer) {
  const bytes = new Uint8Array(buffer);
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== "OUTL") throw new Error("The answer is no outline.");
  const length = new DataView(buffer).getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  /** @type {Record<string, any>} */
  const columns = {};
  let at = 8 + length;
  for (const [name, type] of head.columns) {
    const width = Number(type.slice(1));
    columns[name] = typed(untransposed(bytes, at, head.n, width), width);
    at += head.n * width;
  }
  const { n, version, kinds, names, agents } = head;
  const start = differences(columns.start);
  return linked(/** @type {any} */ ({ n, version, kinds, names, agents, origin: BigInt(head.origin_ns), unit: head.unit_ns, ...columns, start }));
}

/** Join the bytes of each value: the column has the first byte of all values, then the second, and so on. @param {Uint8Array} bytes @param {number} at @param {number} n @param {number} width */
function untransposed(bytes, at, n, width) {
  const plain = new Uint8Array(n * width);
  for (let b = 0; b < width; b++) {
    for (let i = 0, from = at + b * n, to = b; i < n; i++, to += width) plain[to] = bytes[from + i];
  }
  return plain;
}

/** Convert bytes to a typed array; values of eight bytes stay bytes, because JavaScript numbers are not exact enough. @param {Uint8Array<ArrayBuffer>} plain @param {number} width */
function typed(plain, width) {
  return width === 2 ? new Uint16Array(plain.buffer) : width === 4 ? new Uint32Array(plain.buffer) : plain;
}

/** Decode a column of zigzag deltas. @param {Uint32Array} column */
function differences(column) {
  const values = new Int32Array(column.length);
  let sum = 0;
  for (let i = 0; i < column.length; i++) {
    sum += (column[i] >>> 1) ^ -(column[i] & 1);
    values[i] = sum;
  }
  return values;
}

/** Compute parents, ends of subtrees and their sums. @param {Outline} o */
export function linked(o) {
  const { n, depth } = o;
  const parent = new Int32Array(n);
  const end = new Uint32Array(n);
  /** @type {number[]} */
  const above = [];
  let first = Infinity;
  let last = -Infinity;
  for (let i = 0; i < n; i++) {
    while (above.length > depth[i]) end[/** @type {number} */ (above.pop())] = i;
    parent[i] = above.at(-1) ?? -1;
    above.push(i);
    first = Math.min(first, o.start[i]);
    last = Math.max(last, o.start[i] + o.dur[i]);
  }
  for (const open of above) end[open] = n;
  return Object.assign(o, { parent, end, first: n ? first : 0, last: n ? Math.max(last, first + 1) : 1, ...sums(o, parent) });
}

/** @param {Outline} o @param {Int32Array} parent */
function sums(o, parent) {
  const tokens = new Float64Array(o.n);
  const errors = new Uint32Array(o.n);
  const passed = new Uint8Array(o.n);
  for (let i = o.n - 1; i >= 0; i--) {
    tokens[i] += o.tin[i] + o.tout[i];
    errors[i] += Number(isFault(o, i));
    if (parent[i] < 0) continue;
    tokens[parent[i]] += tokens[i];
    errors[parent[i]] += errors[i];
    if (isFault(o, i) || (passed[i] && isPlumbing(o, i))) passed[parent[i]] = 1; // the same condition as in `goesUp`
  }
  return { tokens, errors, passed };
}

/** The span id of a row: 16 hex digits. @param {Outline} o @param {number} i */
export function spanId(o, i) {
  let text = "";
  for (let b = 7; b >= 0; b--) text += o.id[i * 8 + b].toString(16).padStart(2, "0");
  return text;
}

/** The row of a span id, or -1. @param {Outline} o @param {string | undefined} id */
export function rowOf(o, id) {
  if (!id || !/^[0-9a-f]{16}$/.test(id)) return -1;
  const wanted = Array.from({ length: 8 }, (_, b) => parseInt(id.slice(14 - b * 2, 16 - b * 2), 16));
  for (let i = 0; i < o.n; i++) {
    let b = 0;
    while (b < 8 && o.id[i * 8 + b] === wanted[b]) b++;
    if (b === 8) return i;
  }
  return -1;
}

/** The text that identifies a row in the URL; `rowAt` is the inverse function. @param {Outline} o @param {number} i */
export const addressOf = (o, i) => o.runs?.address(i) ?? spanId(o, i);
/** @param {Outline} o @param {string | undefined} text */
export const rowAt = (o, text) => (o.runs ? o.runs.rowAt(text) : rowOf(o, text));

/** Whether a row is the root of the whole outline, with all other rows below it. @param {Outline} o @param {number} i */
export const isWhole = (o, i) => i === 0 && o.end[0] === o.n;

/** A duration in milliseconds. @param {Outline} o @param {number} units */
export const ms = (o, units) => (units * o.unit) / 1e6;

/** Whether a row is framework plumbing: counted in another step, or neither a step nor failed. @param {Outline} o @param {number} i */
export const isPlumbing = (o, i) => (o.flags[i] & MERGED) > 0 || (o.flags[i] & (NO_STEP | ERROR)) === NO_STEP;

/** Whether a row is a step, not a span that is counted in another step. @param {Outline} o @param {number} i */
export const isStep = (o, i) => (o.flags[i] & (NO_STEP | MERGED)) === 0;

/** Whether a row failed and is not counted in another row. @param {Outline} o @param {number} i */
export const isFault = (o, i) => (o.flags[i] & (ERROR | MERGED)) === ERROR;

/** Whether a row failed and none of its descendants did; an exception marks all ancestors as failed. @param {Outline} o @param {number} i */
export const isSource = (o, i) => isFault(o, i) && o.errors[i] === 1;

/** Whether a row only propagated a failure that began below it. @param {Outline} o @param {number} i */
export const isPassed = (o, i) => (o.flags[i] & ERROR) > 0 && o.passed[i] > 0;

/** Whether a failure propagates from a row to its parent. @param {Outline} o @param {number} i */
const goesUp = (o, i) => isFault(o, i) || (o.passed[i] > 0 && isPlumbing(o, i));

/** The row in which the failure of a run began: if the run failed, the last failed child of the last failed child and so on; otherwise the first failed row; -1 if there is none. @param {Outline} o */
export function cause(o) {
  if (!o.n || !goesUp(o, 0)) return o.flags.findIndex((_, i) => isSource(o, i));
  let at = 0;
  while (o.passed[at]) {
    let last = at;
    for (let i = at + 1; i < o.end[at]; i = o.end[i]) if (goesUp(o, i)) last = i;
    at = last;
  }
  return at;
}

// Finds the previous model call of the same agent.

/** Whether a row is a step of a kind and not framework plumbing. @param {Outline} o @param {number} i @param {string} kind */
const isStepOf = (o, i, kind) => o.kinds[o.kind[i]] === kind && (o.flags[i] & (NO_STEP | MERGED)) === 0;

/** The row of the nearest ancestor of a row that is an agent's step, or -1. @param {Outline} o @param {number} i */
function owner(o, i) {
  let up = o.parent[i];
  while (up >= 0 && !isStepOf(o, up, "agent")) up = o.parent[up];
  return up;
}

/** The row of the same agent's previous model call that did not fail, or -1. @param {Outline} o @param {number} i */
export function callBefore(o, i) {
  if (!isStepOf(o, i, "model")) return -1;
  const agent = owner(o, i);
  for (let at = i - 1; at > agent; at--) {
    if (isStepOf(o, at, "model") && !(o.flags[at] & ERROR) && owner(o, at) === agent) return at;
  }
  return -1;
}

// Finds loops: the same tool call several times in a row, which the tree shows as one row that can be opened.

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
    if (end && end <= next) loops.set(first, { first, end, times, ...sumsOf(o, first, end) });
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
function sumsOf(o, first, end) {
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
