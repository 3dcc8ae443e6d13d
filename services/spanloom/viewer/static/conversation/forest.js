/** The visible rows of several runs; it grows when the outline of a run is loaded. */
import { View } from "../tree/view.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("./places.js").Runs} Runs */

/** The runs of an outline of several runs. @param {Outline} o */
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
   * stay open; a filter is removed, as row numbers change. @param {Outline} o
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

/** The row after a run's last if its outline is unchanged, else the row after its head. @param {Runs} had @param {Runs} now @param {number} at */
function behind(had, now, at) {
  const isSame = had.parts[at].outline === now.parts[at].outline;
  return isSame ? (had.heads[at + 1] ?? had.n) : had.heads[at] + 1;
}
