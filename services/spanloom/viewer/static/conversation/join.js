/**
 * The runs of a conversation as one outline: a row for each run, and below it the rows of the run's own
 * outline, or a placeholder row `…` until that is loaded. Therefore all components that show a run can also
 * show a conversation.
 */
import { ERROR } from "../service.js";
import { linked, rowOf, spanId } from "../tree/outline.js";
import { View } from "../tree/view.js";

// Maps the rows of a conversation to its runs, and rows to their texts in the URL.

export class Runs {
  /** @param {Part[]} parts */
  constructor(parts) {
    this.parts = parts;
    /** The row of each run. */
    this.heads = new Uint32Array(parts.length);
    let n = 0;
    parts.forEach(({ outline }, at) => {
      this.heads[at] = n;
      n += 1 + (outline?.n ?? 1);
    });
    /** The number of rows. */
    this.n = n;
  }

  /** The index of the run that a row belongs to, from 0. @param {number} i */
  at(i) {
    let low = 0;
    for (let high = this.heads.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.heads[middle] <= i) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /** The run that a row belongs to. @param {number} i */
  part(i) {
    return this.parts[this.at(i)];
  }

  /** The number of a row in its run's own outline; -1 for the row of the run itself. @param {number} i */
  own(i) {
    return i - this.heads[this.at(i)] - 1;
  }

  /** @param {number} i */
  isHead(i) {
    return this.heads[this.at(i)] === i;
  }

  /** Whether a row is the placeholder of an outline that is not loaded. @param {number} i */
  isWaiting(i) {
    return !this.isHead(i) && !this.part(i).outline;
  }

  /** The row in the conversation of a run's own row. @param {number} at the index of the run @param {number} own its row in the run's own outline, or -1 */
  row(at, own) {
    return this.heads[at] + 1 + own;
  }

  /** The index of a run, or -1. @param {string} trace */
  numberOf(trace) {
    return this.parts.findIndex(({ run }) => run.trace_id === trace);
  }

  /** The text of a row in the URL: `TRACE` for a run, `TRACE/SPAN` for a step. @param {number} i */
  address(i) {
    const { run, outline } = this.part(i);
    return this.isHead(i) || !outline ? run.trace_id : `${run.trace_id}/${spanId(outline, this.own(i))}`;
  }

  /** The row for a text in the URL, or -1; the run's row while the run's steps are not loaded. @param {string | undefined} text */
  rowAt(text) {
    const [trace, span] = (text ?? "").split("/");
    const at = trace ? this.numberOf(trace) : -1;
    if (at < 0) return -1;
    const { outline } = this.parts[at];
    return this.row(at, span && outline ? rowOf(outline, span) : -1);
  }

  /** Where row `i` is in `now`, a newer join with more outlines loaded; a placeholder becomes the first step of its run. @param {Runs} now @param {number} i */
  moved(now, i) {
    if (i < 0) return i;
    const at = this.at(i);
    return now.row(at, this.own(i));
  }
}

// Several runs as one outline.

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("../list/run.js").Run} Run */
/** A run as an item of the list, and its outline if it is loaded. @typedef {{run: Run, outline: Outline | null}} Part */

export const WAITING = "…";
/** Idle time is cut out if longer than the share `ofOne` of an average run, or the share `ofAll` of the conversation. */
const SHARES = { ofAll: 0.02, ofOne: 0.25 };
/** The unit of `start` and `dur` is a millisecond, as in documents; no run is too long for a float. */
const UNIT_NS = 1_000_000;

/** Assigns numbers to texts, from 0 in order of first use. */
class Words {
  constructor() {
    /** @type {Map<string, number>} */
    this.numbers = new Map();
  }

  /** @param {string} text */
  of(text) {
    const known = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, known);
    return known;
  }

  /** The numbers assigned to several texts. @param {string[]} texts */
  all(texts) {
    return Uint32Array.from(texts, (text) => this.of(text));
  }

  list() {
    return [...this.numbers.keys()];
  }
}

/** Join runs, in this order. @param {Part[]} parts @returns {Outline} */
export function join(parts) {
  const runs = new Runs(parts);
  const begun = parts.map(({ run }) => Number(run.started_at));
  const origin = Math.floor(Math.min(...begun, Infinity));
  const words = { names: new Words(), agents: new Words(), kinds: new Words() };
  words.agents.of(""); // index 0: no agent
  words.kinds.all(["run", "agent", "model", "tool", "graph", "other"]);
  const o = columns(runs.n);
  parts.forEach((part, at) => {
    const row = runs.heads[at];
    o.start[row] = begun[at] - origin;
    o.dur[row] = Number(part.run.duration);
    o.name[row] = words.names.of(part.run.root_name || part.run.trace_id);
    if (part.outline) put(o, row + 1, part.outline, words, BigInt(origin) * 1_000_000n);
    else wait(o, row, part.run, words);
  });
  const names = { names: words.names.list(), agents: words.agents.list(), kinds: words.kinds.list() };
  const busy = parts.reduce((sum, { run }) => sum + Number(run.duration), 0);
  const pause = Math.min(busy * SHARES.ofAll, (busy / Math.max(parts.length, 1)) * SHARES.ofOne);
  const head = { n: runs.n, version: 0, origin: BigInt(parts.length ? origin : 0) * 1_000_000n, unit: UNIT_NS, runs, pause };
  return linked(/** @type {any} */ ({ ...head, ...names, ...o }));
}

/** @param {number} n */
function columns(n) {
  return {
    id: new Uint8Array(n * 8), ttft: new Uint32Array(n), start: new Float64Array(n), dur: new Float64Array(n), tin: new Uint32Array(n), tout: new Uint32Array(n),
    name: new Uint32Array(n), agent: new Uint32Array(n), depth: new Uint16Array(n), kind: new Uint8Array(n), flags: new Uint8Array(n),
  };
}

/** @typedef {ReturnType<typeof columns>} Columns */
/** @typedef {{names: Words, agents: Words, kinds: Words}} Dictionaries */

/** Copy the rows of a run's outline into the columns from row `at`, one level deeper. @param {Columns} o @param {number} at @param {Outline} of @param {Dictionaries} words @param {bigint} origin */
function put(o, at, of, words, origin) {
  const [names, agents, kinds] = [words.names.all(of.names), words.agents.all(of.agents), words.kinds.all(of.kinds)];
  const scale = of.unit / UNIT_NS;
  const later = Number(of.origin - origin) / UNIT_NS;
  o.id.set(of.id, at * 8);
  for (const column of /** @type {const} */ (["tin", "tout", "flags"])) o[column].set(of[column], at);
  for (let i = 0, to = at; i < of.n; i++, to++) {
    o.start[to] = of.start[i] * scale + later;
    o.dur[to] = of.dur[i] * scale;
    o.ttft[to] = (of.ttft?.[i] ?? 0) * scale;
    o.depth[to] = of.depth[i] + 1;
    o.name[to] = names[of.name[i]];
    o.agent[to] = agents[of.agent[i]];
    o.kind[to] = kinds[of.kind[i]];
  }
}

/** Write the placeholder row for an outline that is not loaded; it is marked as failed if the run failed. @param {Columns} o @param {number} head @param {Run} run @param {Dictionaries} words */
function wait(o, head, run, words) {
  const at = head + 1;
  [o.start[at], o.dur[at], o.depth[at]] = [o.start[head], o.dur[head], 1];
  [o.tin[at], o.tout[at]] = [run.input_tokens, run.output_tokens];
  o.name[at] = words.names.of(WAITING);
  o.kind[at] = o.kind[head];
  o.flags[at] = run.failures ? ERROR : 0;
}

// The visible rows of several runs; it grows when the outline of a run is loaded.

/** The runs in an outline that joins several runs. @param {Outline} o */
export const runsOf = (o) => /** @type {Runs} */ (o.runs);

export class Forest extends View {
  /** @param {Outline} o @param {boolean} isClosed whether only the runs are shown, without their steps */
  constructor(o, isClosed) {
    super(o);
    if (isClosed) for (const head of runsOf(o).heads) this.collapsed[head] = 1;
    this.rebuild();
  }

  /**
   * Show an outline of the same runs with more of them loaded, or with further runs at the end. Open rows
   * stay open; a filter is removed, because row numbers change. @param {Outline} o
   */
  grow(o) {
    const { collapsed, root, hasFrames } = this;
    const [had, now] = [runsOf(this.o), runsOf(o)];
    Object.assign(this, new View(o));
    now.heads.forEach((head, at) => {
      if (at >= had.heads.length) this.collapsed[head] = 1;
      else this.collapsed.set(collapsed.subarray(had.heads[at], rowAfter(had, now, at)), head);
    });
    this.root = had.moved(now, root);
    this.showFrames(hasFrames);
  }
}

/** The row after the run's last row if its outline is the same in both joins, otherwise the row after its head. @param {Runs} had @param {Runs} now @param {number} at */
function rowAfter(had, now, at) {
  const isSame = had.parts[at].outline === now.parts[at].outline;
  return isSame ? (had.heads[at + 1] ?? had.n) : had.heads[at] + 1;
}
