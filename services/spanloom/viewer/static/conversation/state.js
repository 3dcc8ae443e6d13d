/** The state of the current conversation: its runs in one tree. The outline of a run is loaded when the run is opened or in view. */
import { batch, effect, signal } from "../vendor/signals.js";
import { getBytes } from "../api.js";
import { cutting } from "../run/player.js";
import { chosen, grid, headed, turns, view } from "../run/state.js";
import { ERROR } from "../service.js";
import { FIRST_ERROR, place } from "../state/place.js";
import { nextFailure } from "../tree/keys.js";
import { decode, rowAt } from "../tree/outline.js";
import { Forest, join, runsOf } from "./join.js";
import { areAll, pathOf, runs } from "./runs.js";

/** @typedef {import("./join.js").Part} Part */

/** A conversation up to this size is loaded completely, and shown open. */
const SMALL = { runs: 20, spans: 5_000 };
const AT_ONCE = 4;

cutting.isUsual = true; // a person may take minutes or days between turns

/** @type {Part[]} */
let parts = [];
/** Pending requests for outlines, keyed by the run's index. @type {Map<number, Promise<void>>} */
const fetching = new Map();
/** @type {(() => void)[]} */
const queue = [];
let busy = 0;
let frame = 0;

/** Error messages of runs that could not be loaded, keyed by the run's index. */
export const lost = signal(/** @type {Map<number, string>} */ (new Map()));

export const forest = () => /** @type {Forest | null} */ (view.peek());

/** A run and its outline, if loaded. @param {number} at the index of the run */
export const partAt = (at) => parts[at];

/** Fetch the outline of a run, once. @param {number} at the index of the run */
export function fetchRun(at) {
  const known = fetching.get(at);
  if (known || parts[at]?.outline) return known ?? Promise.resolve();
  const coming = turn().then(() => outlineOf(parts[at].run)).then((outline) => {
    parts[at] = { run: parts[at].run, outline };
    frame ||= requestAnimationFrame(() => { frame = 0; renew(); });
  }).catch((error) => { // the outline is fetched again when the run comes into view again
    lost.value = new Map(lost.peek()).set(at, error.message);
    grid.peek()?.updateTexts();
  }).finally(() => {
    fetching.delete(at);
    busy -= 1;
    queue.shift()?.();
  });
  fetching.set(at, coming);
  return coming;
}

/** Wait until few requests are pending. @returns {Promise<void>} */
function turn() {
  busy += 1;
  return busy <= AT_ONCE ? Promise.resolve() : new Promise((go) => queue.push(go));
}

/** @param {import("./runs.js").Run} run */
const outlineOf = async (run) => decode(await getBytes(`${pathOf(run)}/outline`, { project: run.project }));

/** Add loaded outlines to the tree without moving the rows in view. */
function renew() {
  const there = forest();
  if (!there) return;
  const shown = grid.peek();
  const had = runsOf(there.o);
  const { flags } = there.o;
  const top = shown && there.count ? there.rows[Math.min(there.count - 1, Math.ceil(shown.host.scrollTop / shown.rowHeight))] : -1;
  const above = shown && top >= 0 ? there.position[top] * shown.rowHeight - shown.host.scrollTop : 0;
  there.grow(join([...parts]));
  const now = runsOf(there.o);
  /** @param {number} i */
  const moved = (i) => (i >= 0 && had.isWaiting(i) && !now.isWaiting(had.moved(now, i)) ? firstOf(there, had.moved(now, i), (flags[i] & ERROR) > 0) : had.moved(now, i));
  batch(() => {
    chosen.value = moved(chosen.peek());
    if (!shown) { turns.value += 1; return; }
    shown.active = moved(shown.active);
    shown.texts = new Map();
    shown.changed();
    shown.host.scrollTop = Math.max(0, there.position[had.moved(now, top)]) * shown.rowHeight - above;
    shown.pick(shown.active);
  });
}

/** The step to select in a run after loading: the first failed step (`isFailed`), or the first visible step. @param {Forest} there @param {number} i the first row @param {boolean} isFailed */
function firstOf(there, i, isFailed) {
  const found = isFailed ? nextFailure(there, i - 1) : -1;
  if (found >= 0) return found;
  const { end, parent } = there.o;
  let at = i;
  while (there.hidden[at] && at + 1 < end[parent[i]]) at += 1;
  return at;
}

/** Update the tree after runs were loaded. */
async function take() {
  const list = runs.value ?? [];
  if (!list.length || (parts.length && parts.length === list.length)) return;
  const isFirst = !parts.length;
  parts = [...parts, ...list.slice(parts.length).map((run) => ({ run, outline: null }))];
  if (!isFirst) return renew();
  const isSmall = areAll.peek() && list.length <= SMALL.runs && list.reduce((sum, run) => sum + run.span_count, 0) <= SMALL.spans;
  const { step, root, frames } = place.peek().query;
  const named = [step, root].map((text) => list.findIndex((run) => run.trace_id === text?.split("/")[0] && text.includes("/")));
  await Promise.all(isSmall ? list.map((_, at) => fetchRun(at)) : named.filter((at) => at >= 0).map(fetchRun));
  cancelAnimationFrame(frame);
  frame = 0;
  const made = new Forest(join([...parts]), !isSmall);
  if (frames) made.showFrames(true);
  const top = rowAt(made.o, root);
  if (top >= 0) made.drill(top);
  const wanted = step === FIRST_ERROR ? nextFailure(made, -1) : rowAt(made.o, step);
  if (wanted >= 0 && made.position[wanted] < 0) made.reveal(wanted);
  batch(() => {
    chosen.value = Math.max(wanted, made.count ? made.rows[0] : -1);
    view.value = made;
    headed.value = true;
  });
}

effect(() => { void runs.value; void take(); });
