/** Loads the metrics of the overview from `/v1/stats`; all cover the same runs, because the time range is fixed when loading begins. */
import { batch, signal } from "../vendor/signals.js";
import { ApiError, getJson } from "../api.js";
import { failure, question } from "../list/runs.js";
import { numbersOver } from "../state/over_time.js";
import { faultOf, range } from "../state/range.js";

/** @typedef {import("../state/over_time.js").OverTime} OverTime */
/** @typedef {import("../api.js").Params} Params */

/** The displayed metrics of runs, by their names in the API. */
export const METRICS = ["count", "rate(has_error)", "sum(cost)", "sum(input_tokens)", "sum(output_tokens)", "p50(duration)", "p95(duration)"];
const FIRST_TOKEN = "p50(first_token)";

/** The parameters of the requests: the query, with the range in ms; null before the first load. */
export const pinned = signal(/** @type {Params | null} */ (null));
/** The metrics over all runs. */
export const totals = signal(/** @type {Record<string, any> | null} */ (null));
/** The metrics over time. */
export const overTime = signal(/** @type {OverTime | null} */ (null));
/** The median time to the first token over all model calls, in ms. */
export const firstToken = signal(/** @type {number | null} */ (null));
export const error = failure; // shown by the query box if the query is invalid

let request = new AbortController();

/** Load all metrics; the displayed values stay until the new values arrive. @param {import("../state/place.js").Query} query */
export async function load(query) {
  request.abort();
  const { signal: until } = (request = new AbortController());
  const now = Date.now();
  if (faultOf(query, now)) return;
  const given = range(query, now);
  const params = { ...question(query), since: given.since, until: given.until ?? (given.since === null ? null : now) };
  try {
    const [over, all] = await Promise.all([
      numbersOver(params, METRICS.join(), until),
      getJson("/v1/stats", { ...params, metrics: METRICS.join() }, until),
    ]);
    batch(() => {
      overTime.value = over;
      totals.value = all.items[0] ?? { count: 0 };
      pinned.value = params;
      error.value = null;
    });
    firstToken.value = (await getJson("/v1/stats", { ...ofSteps(params), where: "type = model", metrics: FIRST_TOKEN }, until)).items[0]?.[FIRST_TOKEN] ?? null;
  } catch (why) {
    if (!until.aborted) error.value = why instanceof ApiError ? why : new ApiError(0, String(why));
  }
}

/** The parameters for the steps of the same runs. @param {Params} params */
export const ofSteps = ({ where, ...rest }) => ({ ...rest, of: "steps", run_where: where });
