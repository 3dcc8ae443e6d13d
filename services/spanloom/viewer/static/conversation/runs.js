/** The runs of the current conversation as items of the list, page by page, oldest first. */
import { ApiError, getJson } from "../api.js";
import { batch, signal } from "../vendor/signals.js";
import { quoted } from "../state/filters.js";
import { place } from "../state/place.js";

/** @typedef {import("../list/run.js").Run} Run */

/** Size of the first page, small so that the first rows appear soon. */
const FIRST = 100;
/** Maximum page size that the service allows. */
const MORE = 1000;

/** The runs loaded so far; null before the first page. */
export const runs = signal(/** @type {Run[] | null} */ (null));
/** Whether all runs are loaded. */
export const areAll = signal(false);
export const failure = signal(/** @type {ApiError | null} */ (null));

export const conversationId = () => place.peek().query.id ?? "";
/** The path of the conversation in the API. */
export const conversationPath = () => `/v1/conversations/${encodeURIComponent(conversationId())}`;

/**
 * The runs of the conversation that match a condition, page by page.
 * @param {string} condition empty: all runs @param {string} fields @param {AbortSignal} [until]
 */
export async function* linesOf(condition, fields, until) {
  const where = `conversation = ${quoted(conversationId())}${condition && ` and ${condition}`}`;
  for (let cursor = null; cursor !== undefined; ) {
    const data = await getJson("/v1/trajectories", { project: place.peek().query.project, where, limit: MORE, fields, cursor }, until);
    yield* data.items;
    cursor = data.next_cursor ?? undefined;
  }
}

/** @param {Run} run */
export const pathOf = (run) => `/v1/trajectories/${run.trace_id}`;

/** Read all pages; each is shown as it arrives. */
export async function loadRuns() {
  const { project } = place.peek().query;
  const path = conversationPath();
  batch(() => { areAll.value = false; failure.value = null; });
  try {
    for (let cursor = null, known = /** @type {Run[]} */ ([]); !areAll.peek(); ) {
      const data = await getJson(path, { project, cursor, limit: cursor ? MORE : FIRST });
      cursor = data.next_cursor;
      known = [...known, ...data.items];
      batch(() => { runs.value = known; areAll.value = !cursor; });
    }
  } catch (error) {
    failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}
