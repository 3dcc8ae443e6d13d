/** Maps the rows of a conversation to its runs, and to their names in the URL. */
import { rowOf, spanId } from "../tree/outline.js";

/** @typedef {import("./join.js").Part} Part */

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

  /** The row in the run's own outline; -1 for the run itself. @param {number} i */
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

  /** The text for a row in the URL: `TRACE` for a run, `TRACE/SPAN` for a step. @param {number} i */
  address(i) {
    const { run, outline } = this.part(i);
    return this.isHead(i) || !outline ? run.trace_id : `${run.trace_id}/${spanId(outline, this.own(i))}`;
  }

  /** The row of a text in the URL, or -1; the run's row as long as its steps are not loaded. @param {string | undefined} text */
  rowAt(text) {
    const [trace, span] = (text ?? "").split("/");
    const at = trace ? this.numberOf(trace) : -1;
    if (at < 0) return -1;
    const { outline } = this.parts[at];
    return this.row(at, span && outline ? rowOf(outline, span) : -1);
  }

  /** The row's number after more outlines were loaded: a placeholder becomes the run's first step. @param {Runs} now @param {number} i */
  moved(now, i) {
    if (i < 0) return i;
    const at = this.at(i);
    return now.row(at, this.own(i));
  }
}
