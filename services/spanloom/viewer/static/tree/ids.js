/** Finds rows by span id: a hash table of row numbers, without a string for each span. */
import { spanId } from "./outline.js";

export class Ids {
  /** @param {import("./outline.js").Outline} o */
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

  /** The first slot of the id at a byte offset. @param {number} byte @param {Uint8Array} [id] */
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
