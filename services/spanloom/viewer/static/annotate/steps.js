/** The steps of the displayed run, for annotators. */
import { isStep, spanId } from "../tree/outline.js";

// Finds rows by span id: a hash table of row numbers, without a string for each span.

export class Ids {
  /** @param {import("../tree/outline.js").Outline} o */
  constructor(o) {
    this.o = o;
    this.mask = 1;
    while (this.mask < o.n * 2) this.mask *= 2;
    /** Row number plus one; 0 is a free slot. */
    this.table = new Int32Array(this.mask);
    this.mask -= 1;
    for (let i = 0; i < o.n; i++) {
      let at = this.place(i * 8);
      while (this.table[at]) at = (at + 1) & this.mask;
      this.table[at] = i + 1;
    }
  }

  /** The first slot in the hash table for the id at a byte offset. @param {number} byte @param {Uint8Array} [id] */
  place(byte, id = this.o.id) {
    let hash = 0;
    for (let b = 0; b < 8; b++) hash = Math.imul(hash ^ id[byte + b], 0x01000193);
    return (hash ^ (hash >>> 15)) & this.mask;
  }

  /** The row of a span id, or -1. @param {string} text 16 hex digits */
  row(text) {
    if (!/^[0-9a-f]{16}$/.test(text)) return -1;
    const id = Uint8Array.from({ length: 8 }, (_, b) => parseInt(text.slice(14 - b * 2, 16 - b * 2), 16));
    for (let at = this.place(0, id); this.table[at]; at = (at + 1) & this.mask) {
      const i = this.table[at] - 1;
      if (id.every((byte, b) => byte === this.o.id[i * 8 + b])) return i;
    }
    return -1;
  }

  /** The id of a row. @param {number} i */
  id(i) {
    return spanId(this.o, i);
  }
}

// The steps of the run that can be annotated.

export class Steps {
  /** @param {import("../tree/view.js").View} view */
  constructor(view) {
    this.view = view;
    this.o = view.o;
    this.ids = new Ids(view.o);
    /** The number of steps to judge. */
    this.size = 0;
    for (let i = 0; i < this.o.n; i++) this.size += Number(this.isToJudge(i));
  }

  /** Whether a row can be annotated: it is a step, not a span that belongs to another step. @param {number} i */
  isStep(i) {
    return i >= 0 && i < this.o.n && isStep(this.o, i);
  }

  /** Whether a row must be judged for a complete score; an agent is not judged itself, only its steps are. @param {number} i */
  isToJudge(i) {
    if (!this.isStep(i)) return false;
    const kind = this.o.kinds[this.o.kind[i]];
    return kind === "model" || kind === "tool" || (kind === "graph" && this.o.parent[i] >= 0);
  }

  /** The id of a row. @param {number} i */
  id(i) {
    return spanId(this.o, i);
  }

  /** The row of an id, or -1. @param {string} id */
  row(id) {
    return this.ids.row(id);
  }

  /** The next row to judge that fulfils a condition, continuing with the first row after the last; -1 if there is none. @param {number} i @param {(i: number) => boolean} fits */
  next(i, fits) {
    const { root, kept } = this.view;
    const [from, to] = root >= 0 ? [root, this.o.end[root]] : [0, this.o.n];
    const count = to - from;
    const begin = Math.max(i - from, -1);
    for (let k = 1; k <= count; k++) {
      const j = from + ((begin + k) % count);
      if ((!kept || kept[j]) && this.isToJudge(j) && fits(j)) return j;
    }
    return -1;
  }
}
