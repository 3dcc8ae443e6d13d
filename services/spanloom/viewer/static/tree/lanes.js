/** Rows by level, each level sorted by start, for drawing a timeline and hit testing. */
export class Lanes {
  /** @param {import("./outline.js").Outline} o @param {Uint32Array} first @param {Uint32Array} rows */
  constructor(o, first, rows) {
    this.o = o;
    this.count = first.length - 1;
    this.first = first;
    this.rows = rows;
  }

  /** The index of the first row of a lane that starts after a time. @param {number} lane @param {number} time */
  after(lane, time) {
    let low = this.first[lane];
    let high = this.first[lane + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.o.start[this.rows[middle]] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The rows of a lane that may be visible between two times. @param {number} lane @param {number} from @param {number} to */
  between(lane, from, to) {
    // Rows of a lane may overlap, so one that began long before may still run: a few are checked.
    const begin = Math.max(this.first[lane], this.after(lane, from) - 32);
    return this.rows.subarray(begin, this.after(lane, to));
  }

  /** The row of a lane at a time, or -1. @param {number} lane @param {number} time @param {number} pixel the time that a pixel covers */
  at(lane, time, pixel) {
    if (lane < 0 || lane >= this.count) return -1;
    const { o, rows } = this;
    const to = this.after(lane, time);
    for (let k = to - 1; k >= Math.max(this.first[lane], to - 32); k--) {
      if (o.start[rows[k]] + o.dur[rows[k]] + pixel >= time) return rows[k];
    }
    return -1;
  }
}

/**
 * Assign each row that is not hidden to its lane.
 * @param {import("./outline.js").Outline} o @param {Uint16Array} lane @param {Uint8Array} hidden
 */
export function lanes(o, lane, hidden) {
  const count = lane.reduce((most, at, i) => (hidden[i] ? most : Math.max(most, at)), 0) + 1;
  const first = new Uint32Array(count + 1);
  for (let i = 0; i < o.n; i++) if (!hidden[i]) first[lane[i] + 1]++;
  for (let at = 0; at < count; at++) first[at + 1] += first[at];
  const next = first.slice();
  const rows = new Uint32Array(first[count]);
  for (let i = 0; i < o.n; i++) if (!hidden[i]) rows[next[lane[i]]++] = i;
  for (let at = 0; at < count; at++) rows.subarray(first[at], first[at + 1]).sort((a, b) => o.start[a] - o.start[b]);
  return new Lanes(o, first, rows);
}
