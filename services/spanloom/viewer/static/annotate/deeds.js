/** Actions of an annotator: mark one step or a branch, undo, redo. */
import { newId } from "./keep.js";
import { applyEdit, difference, isSame, markOf, NOTHING } from "./marks.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./marks.js").Edit} Edit */

/**
 * Annotate a step, or the whole run (an empty `at`).
 * @param {Session} session @param {string} at @param {Edit} edit @param {{isTyping?: boolean, isAgain?: boolean}} [how]
 *   `isTyping`: further typing in the same field belongs to the same action; `isAgain`: it is already in the history
 */
export function say(session, at, edit, { isTyping = false, isAgain = false } = {}) {
  const slot = session.own.get(at) ?? empty(at);
  const after = applyEdit(slot.mark, edit, session.scheme);
  if (isSame(after, slot.mark) && slot.state !== "changed") return;
  if (!isAgain) session.history.add({ changes: [{ at, before: slot.mark, after }] }, isTyping);
  session.put({ ...slot, mark: after, state: slot.state === "changed" ? "valid" : slot.state });
  write(session, slot, edit);
}

/** An empty slot for a step without a mark. @param {string} at @returns {import("./session.js").Slot} */
const empty = (at) => ({ step: at, at, row: null, mark: NOTHING, state: at ? "valid" : "whole" });

/** Confirm an annotation for its step as it is now; the service finds its places again. @param {Session} session @param {string} at */
export function confirm(session, at) {
  const slot = session.own.get(at);
  if (!slot) return;
  session.put({ ...slot, state: "valid" });
  write(session, slot, {});
}

/** @param {Session} session @param {import("./session.js").Slot} slot @param {Edit} edit */
function write(session, { step, row }, edit) {
  const seen = row ? markOf(row) : NOTHING;
  session.sender.add({ id: newId(), kind: "edit", context: session.context, step, base: row?.revision ?? 0, seen, edit });
  session.changed();
}

/** Mark a row and the unjudged steps below it; return how many. @param {Session} session @param {number} i @param {string} correctness */
export function sayBranch(session, i, correctness) {
  const isAll = i === 0 && session.view.o.end[0] === session.view.o.n;
  const group = isAll ? "" : session.steps.id(i);
  const changes = session.fill(group, { correctness });
  if (!changes.length) return 0;
  const id = newId();
  session.history.add({ changes, group: id });
  session.sender.add({ id, kind: "branch", context: session.context, step: "", edit: { correctness }, group });
  session.changed();
  return changes.length;
}

/** Undo (-1) or redo (1) the last action; return a step of it. @param {Session} session @param {1 | -1} way */
export function turnBack(session, way) {
  const deed = way < 0 ? session.history.undo() : session.history.redo();
  if (!deed) return undefined;
  for (const { at, before, after } of deed.changes) {
    const [from, to] = way < 0 ? [after, before] : [before, after];
    const slot = session.own.get(at);
    if (!deed.group) say(session, at, difference(from, to), { isAgain: true });
    else if (slot && isSame(slot.mark, from)) session.put({ ...slot, mark: to }); // later changes stay
  }
  if (deed.group) {
    const id = newId();
    session.sender.add({ id, kind: "undo", context: session.context, step: "", edit: {}, group: deed.group });
    deed.group = id;
    session.changed();
  }
  return deed.changes[0]?.at;
}

/** The next unjudged row; after the last, the first; -1 if there is none. @param {Session} session @param {number} i */
export const nextUnjudged = (session, i) => session.steps.next(i, (j) => !session.mark(session.steps.id(j)).correctness);
