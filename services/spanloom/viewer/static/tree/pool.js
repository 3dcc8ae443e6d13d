/**
 * The pool of row elements: as many as fit into the grid and a few more. Row `at` always uses the same element, so that scrolling by
 * three rows fills three. Names are shown at once, the rest of a row when a frame has time: a number per frame, rows in view first.
 */
import { Row } from "./row.js";

const WHOLE = 12; // on a slow host a screen of 46 takes 20 ms

export class Pool {
  /** @param {Element} body */
  constructor(body) {
    this.body = body;
    this.rows = /** @type {Row[]} */ ([]);
    this.from = -1;
  }

  /** Show the names of `size` rows from a row on. @param {import("./view.js").View} view @param {number} from @param {number} size @param {number} height of a row */
  place(view, from, size, height) {
    const { rows } = this;
    while (rows.length < size) rows.push(new Row(this.body));
    while (rows.length > size) rows.pop()?.node.remove();
    for (let at = from; at < from + size; at++) {
      const row = rows[at % size];
      if (row.at !== at || this.from < 0) row.place(view, at, height);
    }
    this.from = from;
  }

  /** Fill as many rows as a frame has time for, from a row on and around it. @param {number} first @param {import("./view.js").View} view @param {import("./row.js").How} how @returns {boolean} whether all are filled */
  fill(first, view, how) {
    const { length } = this.rows;
    let room = WHOLE;
    for (let at = first; at < first + length; at++) {
      const row = this.rows[at % length];
      if (!row.isStale) continue;
      if (!room--) return false;
      row.fill(view, how);
    }
    return true;
  }

  /** Mark all elements as showing other rows. */
  forget() {
    this.from = -1;
  }

  /** Mark the content of all rows as stale. */
  markStale() {
    for (const row of this.rows) row.isStale = true;
  }

  /** Draw the bars of all rows on an axis. @param {import("./outline.js").Outline} o @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
  draw(o, axis, clock) {
    for (const row of this.rows) if (row.i >= 0) row.draw(o, axis, clock);
  }

  /** Whether the element of a position shows its row. @param {number} at */
  has(at) {
    return at >= this.from && at < this.from + this.rows.length;
  }

  /** The row that contains an element. @param {Element} part */
  with(part) {
    return this.rows.find((one) => one.node.contains(part));
  }
}
