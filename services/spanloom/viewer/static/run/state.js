/** The state of the current run: its outline, visible rows and selected step. */
import { batch, signal } from "../vendor/signals.js";
import { ApiError, getBytes, getJson } from "../api.js";
import { change, FIRST_ERROR, place } from "../state/place.js";
import { kept } from "../state/reader.js";
import { nextFailure } from "../tree/keys.js";
import { addressOf, decode, isWhole, rowOf } from "../tree/outline.js";
import { View } from "../tree/view.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */

export const view = signal(/** @type {View | null} */ (null));
/** Whether the run's header is complete; until then its height changes, which would move the content below. */
export const headed = signal(false);
export const failure = signal(/** @type {ApiError | null} */ (null));
/** The row of the selected step, or -1. */
export const chosen = signal(-1);
/** The step in the URL, if this version of the run does not have it; otherwise empty. */
export const lost = signal("");
/** The grid that shows the tree, if any. */
export const grid = signal(/** @type {import("../tree/grid.js").Grid | null} */ (null));
/** Restricts search hits to these rows of the outline; null: no restriction. @type {import("../vendor/signals.js").Signal<Uint8Array | null>} */
export const only = signal(/** @type {Uint8Array | null} */ (null));
/** Incremented whenever the visible rows change. */
export const turns = signal(0);

/** Incremented whenever the view has grown to a newer version. */
export const grown = signal(0);
/** Whether new rows of a live run are added automatically, which the user chooses. */
export const following = kept("run.follow", false);

/** The trace id in the URL. */
export const traceId = () => location.pathname.split("/")[2] ?? "";
export const runPath = () => `/v1/trajectories/${traceId()}`;

/** Query parameters of all requests for this run: the project and, for an old version, its number. */
export const requestParams = () => ({ project: place.peek().query.project, version: place.peek().query.version });

/** The whole document of the current version. @param {"none"} [texts] `none`: without the texts of its steps @returns {Promise<any>} */
export function wholeDocument(texts) {
  const { project, version } = requestParams();
  return getJson(version ? `${runPath()}/versions/${version}` : runPath(), { project, texts });
}

/** Fetch the outline; texts are fetched when their rows come into view. */
export async function load() {
  const { project, version, step, root, frames } = place.peek().query;
  try {
    const made = new View(decode(await getBytes(`${runPath()}/outline`, { project, version })));
    if (frames) made.showFrames(true);
    const top = rowOf(made.o, root);
    if (top > 0) made.drill(top);
    const wanted = step === FIRST_ERROR ? nextFailure(made, -1) : rowOf(made.o, step);
    if (wanted >= 0 && made.position[wanted] < 0) made.reveal(wanted);
    batch(() => {
      view.value = made;
      lost.value = step && wanted < 0 ? step : "";
      chosen.value = Math.max(wanted, made.count ? made.rows[0] : -1);
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

/** Select a step. It is shown after a pause, because a held key passes many steps quickly. @param {number} i */
export function choose(i) {
  clearTimeout(showing);
  showing = setTimeout(() => { chosen.value = i; lost.value = ""; }, PAUSE_MS);
  clearTimeout(saying);
  saying = setTimeout(() => {
    const o = view.peek()?.o;
    if (o && i >= 0 && i < o.n) change({ step: addressOf(o, i) });
  }, SAY_MS);
}

/** Show only the subtree of a step; -1 for the whole run. @param {number} i */
export function drill(i) {
  const there = view.peek();
  if (!there) return;
  there.drill(i);
  grid.peek()?.changed();
  if (i >= 0) grid.peek()?.select(i);
  change({ root: i >= 0 && !isWhole(there.o, i) ? addressOf(there.o, i) : null }, true);
}

/** Go one level up. */
export function drillUp() {
  const there = view.peek();
  if (there && there.root >= 0) drill(parentOf(there, there.root));
}

/** The nearest ancestor that is not hidden; -1 (the whole run) if there is none or all other rows are below it. @param {View} there @param {number} i */
function parentOf(there, i) {
  let up = there.o.parent[i];
  while (up >= 0 && there.hidden[up]) up = there.o.parent[up];
  return up < 0 || isWhole(there.o, up) ? -1 : up;
}

/** Show or hide framework spans. */
export function turnFrames() {
  const there = view.peek();
  if (!there) return;
  there.showFrames(!there.hasFrames);
  grid.peek()?.changed();
  change({ frames: there.hasFrames ? "1" : null });
}

/** Fetch the run as an item of the list. @returns {Promise<import("../list/run.js").Run | null>} */
export async function summary() {
  const { project } = place.peek().query;
  const data = await getJson("/v1/trajectories", { project, where: `trace_id = "${traceId()}"`, duplicate: "any", limit: 1 });
  return data.items[0] ?? null;
}
