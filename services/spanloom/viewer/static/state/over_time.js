/** Fetches metrics over time from the service, and assigns them to the slots of a chart. */
import { getJson } from "../api.js";
import { range, slotAt, slots, stepFor, zone } from "./range.js";

/** @typedef {import("./range.js").Slot} Slot */
/** Groups of `/v1/stats`, and the slots of the time axis to which these groups belong. @typedef {{slots: Slot[], items: Record<string, any>[], since: number | null, until: number | null}} OverTime */
/** @typedef {import("../api.js").Params} Params */

const DAY = 86_400_000;

/**
 * Return metrics for each interval of the time range in `params`. A missing start defaults to the day of the first run;
 * a missing end to now or, if the start is missing too, to the end of the day of the last run, but not later than now.
 * @param {Params} params @param {string} metrics @param {AbortSignal} until @returns {Promise<OverTime>}
 */
export async function numbersOver(params, metrics, until) {
  const now = Date.now();
  const given = range(/** @type {Record<string, string>} */ (params), now);
  const known = given.since === null ? await ends(params, until) : { since: given.since, until: given.until ?? now };
  if (!known) return { slots: [], items: [], ...given };
  const end = Math.max(given.until ?? known.until, known.since + 1);
  const step = stepFor(end - known.since);
  const { items } = await getJson("/v1/stats", { ...params, metrics, interval: step.interval, timezone: zone() }, until);
  return { slots: slots(known.since, end, step), items, ...given };
}

/** The days of the first and the last run; null if there are no runs. @param {Params} params @param {AbortSignal} until */
async function ends(params, until) {
  const now = Date.now();
  const { items } = await getJson("/v1/stats", { ...params, metrics: "count", interval: "1d", timezone: zone() }, until);
  if (!items.length) return null;
  const starts = items.map((/** @type {{start: string}} */ one) => Number(one.start));
  const last = Math.max(...starts);
  return { since: Math.min(...starts), until: Math.max(last + 1, Math.min(last + DAY, now)) };
}

/** The values of a metric, one for each interval; null if the service has none. @param {OverTime} found @param {string} metric @returns {(number | null)[]} */
export function layOut({ slots: all, items }, metric) {
  const values = /** @type {(number | null)[]} */ (all.map(() => null));
  for (const item of items) {
    const at = slotAt(all, Number(item.start));
    if (at >= 0) values[at] = item[metric];
  }
  return values;
}

/** The start and the end of consecutive slots, limited to the range. @param {OverTime} found @param {number} from @param {number} to @returns {[number, number]} */
export const clipped = ({ slots: all, since, until }, from, to) => [Math.max(all[from].start, since ?? 0), Math.min(all[to].end, until ?? Infinity)];

/** The number of failed runs in each slot: the rate, which the service returns, times the count. @param {OverTime} found @returns {(number | null)[]} */
export function failuresIn(found) {
  const runs = layOut(found, "count");
  return layOut(found, "rate(has_error)").map((rate, i) => (rate === null ? null : Math.round(rate * (runs[i] ?? 0))));
}
