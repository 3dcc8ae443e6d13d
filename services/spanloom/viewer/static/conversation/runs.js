/** The runs of the conversation of the address, as the list tells them: page by page, oldest first. */
import { ApiError, getJson } from "../api.js";
import { batch, signal } from "../vendor/signals.js";
import { quoted } from "../state/filters.js";
import { place } from "../state/place.js";

/** @typedef {import("../list/run.js").Run} Run */

/** The first rows do not wait for more of them than this. */
const FIRST = 100;
/** As many as the service gives at once. */
const MORE = 1000;

/** Those that have come so far; null before the first. */
export const runs = signal(/** @type {Run[] | null} */ (null));
/** Whether these are all of them. */
export const areAll = signal(false);
export const failure = signal(/** @type {ApiError | null} */ (null));

export const conversationId = () => place.peek().query.id ?? "";
/** Of the conversation in the API. */
export const conversationPath = () => `/v1/conversations/${encodeURIComponent(conversationId())}`;

/**
 * The lines of those runs of the conversation of which something holds, page by page.
 * @param {string} condition empty: of all @param {string} fields @param {AbortSignal} [until]
 */
export async function* linesOf(condition, fields, until) {
  const where = `conversation = ${quoted(conversationId())}${condition && ` and ${condition}`}`;
  for (let cursor = null; cursor !== undefined; ) {
    const told = await getJson("/v1/trajectories", { project: place.peek().query.project, where, limit: MORE, fields, cursor }, until);
    yield* told.items;
    cursor = told.next_cursor ?? undefined;
  }
}

/** @param {Run} run */
export const pathOf = (run) => `/v1/trajectories/${run.trace_id}`;

/** Read all pages; each is shown as it comes. */
export async function loadRuns() {
  const { project } = place.peek().query;
  const path = conversationPath();
  batch(() => { areAll.value = false; failure.value = null; });
  try {
    for (let cursor = null, known = /** @type {Run[]} */ ([]); !areAll.peek(); ) {
      const told = await getJson(path, { project, cursor, limit: cursor ? MORE : FIRST });
      cursor = told.next_cursor;
      known = [...known, ...told.items];
      batch(() => { runs.value = known; areAll.value = !cursor; });
    }
  } catch (error) {
    failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}
