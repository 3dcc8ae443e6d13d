/** The rows of several runs that are on show; it grows where the outline of a run comes in. */
import { View } from "../tree/view.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("./places.js").Runs} Runs */

/** The runs of an outline that was made of several. @param {Outline} o */
export const runsOf = (o) => /** @type {Runs} */ (o.runs);

export class Forest extends View {
  /** @param {Outline} o @param {boolean} isClosed whether only the runs are on show, without their steps */
  constructor(o, isClosed) {
    super(o);
    if (isClosed) for (const head of runsOf(o).heads) this.collapsed[head] = 1;
    this.rebuild();
  }

  /**
   * Show an outline of the same runs, of which more were fetched, or with more runs behind them. What is
   * open stays open; a filter goes, for the rows have other numbers. @param {Outline} o
   */
  grow(o) {
    const { collapsed, root, hasFrames } = this;
    const [had, now] = [runsOf(this.o), runsOf(o)];
    Object.assign(this, new View(o));
    now.heads.forEach((head, at) => {
      if (at >= had.heads.length) this.collapsed[head] = 1;
      else this.collapsed.set(collapsed.subarray(had.heads[at], behind(had, now, at)), head);
    });
    this.root = had.moved(now, root);
    this.showFrames(hasFrames);
  }
}

/** Of a run that has the outline it had, the row behind its last; else that behind its head. @param {Runs} had @param {Runs} now @param {number} at */
function behind(had, now, at) {
  const isSame = had.parts[at].outline === now.parts[at].outline;
  return isSame ? (had.heads[at + 1] ?? had.n) : had.heads[at] + 1;
}
