/** The steps that match the query in the URL, page by page, and the selected steps. */
import { batch, signal } from "../vendor/signals.js";
import { ApiError, getJson } from "../api.js";
import { failure } from "../list/runs.js";
import { faultOf, sent } from "../state/range.js";
import { Selection } from "../state/selection.js";

/** An item of `GET /v1/steps`. @typedef {import("../records.js").StepRow} Step */
/** @typedef {import("../state/place.js").Query} Query */

export const PAGE = 50;

/** The displayed rows; null until the first are loaded. */
export const rows = signal(/** @type {Step[] | null} */ (null));
export const nextCursor = signal(/** @type {string | null} */ (null));
/** The number of steps that match the query; null while unknown. */
export const total = signal(/** @type {number | null} */ (null));
export const selection = new Selection("steps.selected");

/** The URL parameters that are sent to the service. @param {Query} query */
export const question = (query) => ({ where: query.where, run_where: query.run_where, project: query.project, ...sent(query) });

let request = new AbortController();

/** Load the page that the URL names; the displayed rows stay until the response arrives. @param {Query} query */
export async function load(query) {
  request.abort();
  const { signal: until } = (request = new AbortController());
  if (faultOf(query, Date.now())) return;
  total.value = null;
  getJson("/v1/stats", { ...question(query), of: "steps", metrics: "count" }, until).then(({ items }) => { total.value = items[0]?.count ?? 0; }, () => {});
  try {
    const page = await getJson("/v1/steps", { ...question(query), order: query.order, limit: PAGE, cursor: query.cursor }, until);
    batch(() => {
      rows.value = page.items;
      nextCursor.value = page.next_cursor;
      failure.value = null;
    });
  } catch (error) {
    if (!until.aborted) failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
  }
}

/** The key of a row, composed of its project, its run's id and its step's id. @param {Step} step */
export const keyOf = (step) => JSON.stringify([step.project, step.trace_id, step.step_id]);

/** The step that a key identifies. @param {string} key @returns {{project: string, trace: string, step: string}} */
export function sourceOf(key) {
  const [project, trace, step] = JSON.parse(key);
  return { project, trace, step };
}
