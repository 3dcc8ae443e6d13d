/** Actions of an annotator: judging a step or a branch, and going to the next step. */
import { newId } from "./keep.js";
import { empty } from "./session.js";
import { applyEdit, difference, isSame, markOf, NOTHING } from "./marks.js";
import { signal } from "../vendor/signals.js";
import { ApiError, sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { neighbour } from "../run/neighbours.js";
import { choose, chosen, grid, traceId } from "../run/state.js";
import { dones } from "../state/reader.js";
import { link, place } from "../state/place.js";
import { reload, sender, session } from "./current.js";

// Actions of an annotator: annotate one step or a branch, undo, redo.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./marks.js").Edit} Edit */

/**
 * Annotate a step, or the whole run (an empty `at`).
 * @param {Session} of @param {string} at @param {Edit} edit @param {{isTyping?: boolean, isAgain?: boolean}} [how]
 *   `isTyping`: further typing in the same field belongs to the same action; `isAgain`: the edit is already in
 *   the history
 */
export function annotateStep(of, at, edit, { isTyping = false, isAgain = false } = {}) {
  const slot = of.own.get(at) ?? empty(at);
  const after = applyEdit(slot.mark, edit, of.scheme);
  if (isSame(after, slot.mark) && slot.state !== "changed") return;
  if (!isAgain) of.history.add({ changes: [{ at, before: slot.mark, after }] }, isTyping);
  of.put({ ...slot, mark: after, state: slot.state === "changed" ? "valid" : slot.state, group: "" });
  write(of, slot, edit, after);
}

/** Confirm an annotation for the current contents of its step; the service finds its marked passages again. @param {Session} of @param {string} at */
export function confirm(of, at) {
  const slot = of.own.get(at);
  if (!slot) return;
  of.put({ ...slot, state: "valid", group: "" });
  write(of, slot, {}, slot.mark);
}

/** @param {Session} of @param {import("./session.js").Slot} slot the annotation before the edit @param {Edit} edit @param {import("./marks.js").Mark} to the mark after it */
function write(of, { step, row, mark: from, group }, edit, to) {
  const seen = row ? markOf(row) : NOTHING;
  const isAhead = group !== "" && group !== row?.group; // the row of a write of many steps is not loaded yet
  of.sender.add({ id: newId(), kind: "edit", context: of.context, step, base: isAhead ? null : (row?.revision ?? 0), seen, from, to, edit });
  of.changed();
}

/** Send a write of many steps, whose annotations are shown already. @param {Session} of @param {string} id @param {{kind: "branch" | "undo", group: string, edit: Edit}} what @param {Map<string, import("./marks.js").Mark>} marks by step */
function writeMany(of, id, what, marks) {
  of.expected.set(id, marks);
  of.sender.add({ id, context: of.context, step: "", from: NOTHING, to: NOTHING, ...what });
  of.changed();
}

/** Judge a row and the unjudged steps below it; return the number of judged steps. @param {Session} of @param {number} i @param {string} correctness */
export function annotateBranch(of, i, correctness) {
  const isAll = i === 0 && of.view.o.end[0] === of.view.o.n;
  const group = isAll ? "" : of.steps.id(i);
  const id = newId();
  const changes = of.fill(group, { correctness }, id);
  if (!changes.length) return 0;
  of.history.add({ changes, group: id });
  writeMany(of, id, { kind: "branch", group, edit: { correctness } }, new Map(changes.map((one) => [one.at, one.after])));
  return changes.length;
}

/** Undo (-1) or redo (1) the last action; return one of the steps whose annotation changed. @param {Session} of @param {1 | -1} way */
export function turnBack(of, way) {
  const deed = way < 0 ? of.history.undo() : of.history.redo();
  if (!deed) return undefined;
  const { group } = deed;
  const changes = deed.changes.map(({ at, before, after }) => (way < 0 ? { at, from: after, to: before } : { at, from: before, to: after }));
  const isOfGroup = (/** @type {{at: string}} */ { at }) => group !== undefined && of.own.get(at)?.group === group;
  if (group) deed.group = turnGroup(of, group, changes.filter(isOfGroup));
  for (const { at, from, to } of changes) { // annotations that changed after a write of many steps are not undone with it
    if (!group || (of.own.get(at)?.group !== deed.group && isSame(of.mark(at), from))) annotateStep(of, at, difference(from, to), { isAgain: true });
  }
  return changes[0]?.at;
}

/** Undo the write of many steps with one write; return the id of the new write. @param {Session} of @param {string} group @param {{at: string, to: import("./marks.js").Mark}[]} changes */
function turnGroup(of, group, changes) {
  const id = newId();
  for (const { at, to } of changes) of.put({ .../** @type {import("./session.js").Slot} */ (of.own.get(at)), mark: to, group: id });
  writeMany(of, id, { kind: "undo", group, edit: {} }, new Map(changes.map((one) => [one.at, one.to])));
  return id;
}

/** The next unjudged row, continuing with the first row after the last; -1 if there is none. @param {Session} of @param {number} i */
export const nextUnjudged = (of, i) => of.steps.next(i, (j) => !of.mark(of.steps.id(j)).correctness);

// Navigation between steps and between runs.

/** Why the run could not be marked as done. */
export const finishTrouble = signal("");

/** The step whose form gets the focus as soon as it is shown. */
export const toForm = signal("");

/** The row that keys act on; while a key is held down, it is ahead of the row in the step panel. */
export const here = () => grid.peek()?.active ?? chosen.peek();

/** Select a row, also in the tree if it is visible. @param {number} i */
export function go(i) {
  if (i < 0) return;
  const there = grid.peek();
  if (there) there.select(i);
  else choose(i);
}

/** Go to the next unjudged step, and focus the tree. */
export function toNext() {
  const of = session.peek();
  if (!of) return;
  go(nextUnjudged(of, here()));
  toTree();
}

export function toTree() {
  grid.peek()?.host.focus({ preventScroll: true });
}

/** Store everything, mark the item as done in the queue, and open the next run of the queue or of the list. */
export async function finish() {
  finishTrouble.value = "";
  if (!(await sender.peek()?.flush())) {
    finishTrouble.value = t(sender.peek()?.writes.list.some((one) => one.state === "refused") ? "annotate.refused" : "annotate.unsaved");
    return;
  }
  try {
    const next = await nextRun();
    if (next) location.href = next;
    else await stay();
  } catch (error) {
    finishTrouble.value = error instanceof ApiError ? error.message : String(error);
  }
}

/** Report that there is no other run; for a queue, show the annotations that it had withheld. */
async function stay() {
  const isOver = Boolean(place.peek().query.queue);
  if (isOver) await reload();
  finishTrouble.value = t(isOver ? "annotate.queue.over" : "annotate.nothing.next");
}

/** @returns {Promise<string>} the address of the next run; empty if there is none */
async function nextRun() {
  const { queue, project, annotate } = place.peek().query;
  if (!queue) return neighbour(1, { annotate });
  const path = `/v1/queues/${encodeURIComponent(queue)}`;
  await sendJson("POST", `${path}/items/${traceId()}/done`, {}, { project });
  dones.value = dones.peek() + 1;
  const { trace_id: next } = await sendJson("POST", `${path}/next`, {}, { project });
  return next ? link(`/trajectories/${next}`, { annotate, queue, project }) : "";
}
