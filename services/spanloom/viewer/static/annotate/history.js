/** Actions that can be undone and redone; none is lost when writes are merged. */
import { read, write } from "../state/reader.js";

/**
 * One action: the mark of each step before and after.
 * @typedef {{changes: {at: string, before: import("./marks.js").Mark, after: import("./marks.js").Mark}[], group?: string}} Deed
 *   `group`: the id by which the service undoes a mark of a whole branch
 */

const MOST = 500;
/** The number of actions that survive a reload of the window, and the maximum size of one, in steps. */
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
   * Record an action. Typing into one field is one action, as long as nothing else is done.
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

  /** Remove and return the last action, for the caller to undo; undefined if there is none. */
  undo() {
    this.isTyping = false;
    return move(this.done, this.undone);
  }

  /** Remove and return the last undone action. */
  redo() {
    return move(this.undone, this.done);
  }
}

/**
 * The history of this window before its reload; a new one in other cases.
 * @param {object} context of the history: run, scheme, annotator, version
 */
export function recall(context) {
  const kept = read(NAME, { of: "", done: [], undone: [] }, sessionStorage);
  const made = new History();
  if (kept.of === JSON.stringify(context)) [made.done, made.undone] = [kept.done, kept.undone];
  return made;
}

/** Keep the newest actions in the window, up to one that is too large. @param {object} context @param {History} history */
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
