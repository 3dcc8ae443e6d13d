/** Deeds that can be undone and redone; none is lost when the writes themselves are merged. */
import { read, write } from "../state/kept.js";

/**
 * One deed: the mark of each step before and after.
 * @typedef {{changes: {at: string, before: import("./marks.js").Mark, after: import("./marks.js").Mark}[], group?: string}} Deed
 *   `group`: of a mark of a whole branch, by which the service undoes it
 */

const MOST = 500;
/** Deeds that survive a reload of the window, and the largest of them, in steps. */
const KEPT = 50;
const LARGE = 1000;
const NAME = "annotate.history";

export class History {
  constructor() {
    /** @type {Deed[]} */
    this.done = [];
    /** @type {Deed[]} */
    this.undone = [];
  }

  /**
   * Record a deed. Typing into one field is one deed, as long as nothing else is done.
   * @param {Deed} deed @param {boolean} [isTyping]
   */
  add(deed, isTyping = false) {
    const [last, change] = [this.done.at(-1), deed.changes[0]];
    this.undone = [];
    if (isTyping && this.isTyping && last?.changes[0].at === change.at) {
      last.changes[0].after = change.after;
      return;
    }
    this.isTyping = isTyping;
    this.done.push(deed);
    if (this.done.length > MOST) this.done.shift();
  }

  /** Take the last deed, which the caller takes back; undefined if there is none. */
  undo() {
    this.isTyping = false;
    return move(this.done, this.undone);
  }

  /** Take the last deed that was taken back. */
  redo() {
    return move(this.undone, this.done);
  }
}

/**
 * The history that this window had before it was loaded again; a new one for anything else.
 * @param {object} context whose it is: run, scheme, annotator, version
 */
export function recall(context) {
  const kept = read(NAME, { of: "", done: [], undone: [] }, sessionStorage);
  const made = new History();
  if (kept.of === JSON.stringify(context)) [made.done, made.undone] = [kept.done, kept.undone];
  return made;
}

/** Let the window keep the newest of it, up to a deed that is too large. @param {object} context @param {History} history */
export function remember(context, { done, undone }) {
  const newest = (/** @type {Deed[]} */ deeds) => deeds.slice(Math.max(deeds.length - KEPT, deeds.findLastIndex((one) => one.changes.length > LARGE) + 1));
  if (done.length || undone.length) write(NAME, { of: JSON.stringify(context), done: newest(done), undone: newest(undone) }, sessionStorage);
}

/** @param {Deed[]} from @param {Deed[]} to */
function move(from, to) {
  const deed = from.pop();
  if (deed) to.push(deed);
  return deed;
}
