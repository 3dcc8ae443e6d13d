/** Functions for a run as an item of a list, and for the list from which the user came. */
import { t } from "../i18n/index.js";
import { link, ownProject } from "../state/place.js";
import { getJson } from "../api.js";
import { read, write } from "../state/reader.js";

// A run as an item of a list, and its outcome.

/** A line of `GET /v1/trajectories`. @typedef {import("../records.js").Run} Run */

/** The URL of a run's page. @param {{trace_id: string, project: string}} run @param {Record<string, string | undefined>} [query] */
export const pageOf = (run, query = {}) => link(`/trajectories/${run.trace_id}`, { project: ownProject(run.project), ...query });

/** Return the state of a run in words. @param {{status: string, outcome: string}} run */
export function stateOf(run) {
  const state = run.status === "settled" ? run.outcome : run.status;
  const signs = /** @type {Record<string, string>} */ ({ ok: "✓", recovered: "↻", paused: "❚❚", cancelled: "⊘", unfinished: "…", failed: "✕", live: "●", partial: "◌" });
  return { state, sign: signs[state] ?? "·", words: t(/** @type {import("../i18n/index.js").Key} */ (`state.${state}`)) };
}

// The list that the user came from, stored in the browser tab: the page of a run finds the previous and next run in
// it.

/** @typedef {import("../api.js").Params} Params */
/**
 * `first`: position of the first of `runs` in the whole list, from 0; `asked` and `cursor`: parameters of the next page, if there
 * is one; `back`: for a conversation, the list that led to it.
 * @typedef {{url: string, runs: [string, string][], first?: number, asked?: Params, cursor?: string | null, back?: string}} Origin
 */

/** @param {string} [url] the list to go back to if none was open in this tab @returns {Origin} */
export const origin = (url = "/") => read("list", /** @type {Origin} */ ({ url, runs: [] }), sessionStorage);

/** @param {Origin} now */
export const keepOrigin = (now) => write("list", now, sessionStorage);

/** Store a page of the list; a page that continues the stored pages is appended to them. @param {Origin & {first: number}} page */
export function keepPage(page) {
  const { runs, first = 0, asked } = origin();
  const goesOn = JSON.stringify(asked) === JSON.stringify(page.asked) && first <= page.first && page.first <= first + runs.length;
  keepOrigin(goesOn ? { ...page, first, runs: [...runs.slice(0, page.first - first), ...page.runs] } : page);
}

/** Fetch the page after the last known run. */
export async function fetchMore() {
  const { asked, cursor } = origin();
  if (!cursor) return;
  const page = await getJson("/v1/trajectories", { ...asked, cursor, fields: "project,trace_id" });
  const now = origin();
  if (now.cursor !== cursor) return; // another call has fetched the page meanwhile
  const more = page.items.map((/** @type {{trace_id: string, project: string}} */ run) => [run.trace_id, run.project]);
  keepOrigin({ ...now, runs: [...now.runs, ...more], cursor: page.next_cursor });
}
