/** The steps of the displayed run, for annotators. */
import { isStep, spanId } from "../tree/outline.js";
import { Ids } from "../tree/ids.js";

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

  /** Whether a row can be annotated: it is a step, not a span that belongs to one. @param {number} i */
  isStep(i) {
    return i >= 0 && i < this.o.n && isStep(this.o, i);
  }

  /** Whether a complete judgement needs a row: agents, and with them a root, are judged by their steps. @param {number} i */
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

  /** The next row to judge that fits; after the last, the first; -1 if there is none. @param {number} i @param {(i: number) => boolean} fits */
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
