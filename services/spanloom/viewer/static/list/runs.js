/** The runs of the list that the address names, and their number. */
import { batch, signal } from "../vendor/signals.js";
import { ApiError, getJson } from "../api.js";
import { place } from "../state/place.js";

/** @typedef {import("./run.js").Run} Run */

export const PAGE = 50;

/** The displayed rows; null until the first are loaded. */
export const runs = signal(/** @type {Run[] | null} */ (null));
/** Position of the first of them in the whole list, from 0. */
export const first = signal(0);
export const nextCursor = signal(/** @type {string | null} */ (null));
/** The number of runs that match the query; null while unknown. */
export const total = signal(/** @type {number | null} */ (null));
export const failure = signal(/** @type {ApiError | null} */ (null));
export const isLoading = signal(false);

let asked = new AbortController();

/** The part of the query that is sent to the service. @param {import("../state/place.js").Query} query */
export function question(query) {
  return { where: query.where, project: query.project, duplicate: query.duplicate ?? query.is_duplicate };
}

/** The parameters of a page of the list, without the cursor. @param {import("../state/place.js").Query} query */
export function askedFor(query) {
  return { ...question(query), order: query.order, limit: PAGE };
}

/** Reload; the displayed rows stay until the answer arrives. */
export async function load() {
  asked.abort();
  const mine = (asked = new AbortController());
  const { query } = place.peek();
  isLoading.value = true;
  total.value = null;
  void count(query, mine.signal);
  try {
    const page = await getJson("/v1/trajectories", { ...askedFor(query), cursor: query.cursor }, mine.signal);
    batch(() => {
      runs.value = page.items;
      first.value = Number(query.at ?? 0);
      nextCursor.value = page.next_cursor;
      failure.value = null;
      isLoading.value = false;
    });
  } catch (error) {
    if (mine.signal.aborted) return;
    failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
    isLoading.value = false;
  }
}

/** @param {import("../state/place.js").Query} query @param {AbortSignal} until */
async function count(query, until) {
  try {
    const data = await getJson("/v1/stats", { ...question(query), metrics: "count" }, until);
    total.value = data.items[0]?.count ?? 0;
  } catch {
    // The list is usable without the total.
  }
}
