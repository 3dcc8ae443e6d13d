/** Goes from step to step, and from run to run. */
import { signal } from "../vendor/signals.js";
import { ApiError, sendJson } from "../api.js";
import { t } from "../i18n/index.js";
import { neighbour } from "../run/neighbours.js";
import { choose, chosen, grid, traceId } from "../run/state.js";
import { dones } from "../state/reader.js";
import { link, place } from "../state/place.js";
import { reload, sender, session } from "./current.js";
import { nextUnjudged } from "./deeds.js";

/** Why the run could not be marked as done. */
export const finishTrouble = signal("");

/** The step whose form gets the focus as soon as it is shown. */
export const toForm = signal("");

/** The row that keys act on: while a key is held down it is ahead of the displayed row. */
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

/** Store everything, mark the item as done in the queue, and open the next run: of the queue, or of the list. */
export async function finish() {
  finishTrouble.value = "";
  if (!(await sender.peek()?.flush())) {
    finishTrouble.value = t("annotate.unsaved");
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

/** @returns {Promise<string>} the address of the next run; empty: there is none */
async function nextRun() {
  const { queue, project, annotate } = place.peek().query;
  if (!queue) return neighbour(1, { annotate });
  const path = `/v1/queues/${encodeURIComponent(queue)}`;
  await sendJson("POST", `${path}/items/${traceId()}/done`, {}, { project });
  dones.value = dones.peek() + 1;
  const { trace_id: next } = await sendJson("POST", `${path}/next`, {}, { project });
  return next ? link(`/trajectories/${next}`, { annotate, queue, project }) : "";
}
