/**
 * The rows that are made: what fits into the grid and a few more. Row `at` always uses the same one, so that scrolling by three rows
 * fills three. Names are there at once, the rest of a row when a frame has time for it: it fills so many whole, those in sight first.
 */
import { Row } from "./row.js";

const WHOLE = 12; // on a slow host 46 of them, a screen, take 20 ms

export class Pool {
  /** @param {Element} body */
  constructor(body) {
    this.body = body;
    this.rows = /** @type {Row[]} */ ([]);
    this.from = -1;
  }

  /** Show the names of so many rows from one on. @param {import("./view.js").View} view @param {number} from @param {number} size @param {number} height of a row */
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

  /** Show the rest of as many as a frame has time for, from one on and around. @param {number} first @param {import("./view.js").View} view @param {import("./row.js").How} how @returns {boolean} whether that is all */
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

  /** Other rows stand at all places. */
  forget() {
    this.from = -1;
  }

  /** What they say has changed. */
  told() {
    for (const row of this.rows) row.isStale = true;
  }

  /** Draw the bars on an axis. @param {import("./outline.js").Outline} o @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
  draw(o, axis, clock) {
    for (const row of this.rows) if (row.i >= 0) row.draw(o, axis, clock);
  }

  /** Whether a place has its row. @param {number} at */
  has(at) {
    return at >= this.from && at < this.from + this.rows.length;
  }

  /** The row that a part of the page is in. @param {Element} part */
  with(part) {
    return this.rows.find((one) => one.node.contains(part));
  }
}
