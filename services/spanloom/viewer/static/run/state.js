/** The run on show: its outline, what of it is in sight, and which step is chosen. */
import { batch, signal } from "../vendor/signals.js";
import { ApiError, getBytes, getJson } from "../api.js";
import { FIRST_ERROR, change, place } from "../state/place.js";
import { nextFailure } from "../tree/keys.js";
import { addressOf, decode, isWhole, rowOf } from "../tree/outline.js";
import { View } from "../tree/view.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */

export const view = signal(/** @type {View | null} */ (null));
/** Whether the head of the run has its lines: what is below would move when they come. */
export const headed = signal(false);
export const failure = signal(/** @type {ApiError | null} */ (null));
/** The row of the step that is chosen, or -1. */
export const chosen = signal(-1);
/** The grid that shows the tree, while there is one. */
export const grid = signal(/** @type {import("../tree/grid.js").Grid | null} */ (null));
/** Rows of the outline that alone may be found, whatever is searched for; null: all. @type {import("../vendor/signals.js").Signal<Uint8Array | null>} */
export const only = signal(/** @type {Uint8Array | null} */ (null));
/** Counts up whenever other rows are on show. */
export const turns = signal(0);

/** The trace of the address. */
export const traceId = () => location.pathname.split("/")[2] ?? "";
export const runPath = () => `/v1/trajectories/${traceId()}`;

/** What the service is asked beside a path: the project and, of an old version, which. */
export const asked = () => ({ project: place.peek().query.project, version: place.peek().query.version });

/** The whole document of the version on show. @param {"none"} [texts] `none`: without what its steps say @returns {Promise<any>} */
export function wholeDocument(texts) {
  const { project, version } = asked();
  return getJson(version ? `${runPath()}/versions/${version}` : runPath(), { project, texts });
}

/** Fetch the structure; texts come when they are in sight. */
export async function load() {
  const { project, version, step, root, frames } = place.peek().query;
  try {
    const made = new View(decode(await getBytes(`${runPath()}/outline`, { project, version })));
    if (frames) made.showFrames(true);
    const top = rowOf(made.o, root);
    if (top > 0) made.drill(top);
    batch(() => {
      view.value = made;
      chosen.value = Math.max(step === FIRST_ERROR ? nextFailure(made, -1) : rowOf(made.o, step), made.count ? made.rows[0] : -1);
      failure.value = null;
    });
  } catch (error) {
    failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}

const PAUSE_MS = 40;
const SAY_MS = 150;
let showing = 0;
let saying = 0;

/** Choose a step. Whoever holds a key down passes many and reads none: it is shown after a pause. @param {number} i */
export function choose(i) {
  clearTimeout(showing);
  showing = setTimeout(() => { chosen.value = i; }, PAUSE_MS);
  clearTimeout(saying);
  saying = setTimeout(() => {
    const o = view.peek()?.o;
    if (o && i >= 0 && i < o.n) change({ step: addressOf(o, i) });
  }, SAY_MS);
}

/** Make a step the root of what is on show; -1 for the whole run. @param {number} i */
export function drill(i) {
  const there = view.peek();
  if (!there) return;
  there.drill(i);
  grid.peek()?.changed();
  if (i >= 0) grid.peek()?.select(i);
  change({ root: i >= 0 && !isWhole(there.o, i) ? addressOf(there.o, i) : null }, true);
}

/** One level up again. */
export function drillUp() {
  const there = view.peek();
  if (there && there.root >= 0) drill(parentOf(there, there.root));
}

/** The nearest row above that is not hidden; -1, the whole run, where that is its first. @param {View} there @param {number} i */
function parentOf(there, i) {
  let up = there.o.parent[i];
  while (up >= 0 && there.hidden[up]) up = there.o.parent[up];
  return up < 0 || isWhole(there.o, up) ? -1 : up;
}

/** Show framework spans, or leave them out. */
export function turnFrames() {
  const there = view.peek();
  if (!there) return;
  there.showFrames(!there.hasFrames);
  grid.peek()?.changed();
  change({ frames: there.hasFrames ? "1" : null });
}

/** What the service says of the run as a whole: its line of the list. @returns {Promise<import("../list/run.js").Run | null>} */
export async function summary() {
  const { project } = place.peek().query;
  const told = await getJson("/v1/trajectories", { project, where: `trace_id = "${traceId()}"`, duplicate: "any", limit: 1 });
  return told.items[0] ?? null;
}
