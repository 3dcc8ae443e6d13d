/** What a part of the page asks the service, again whenever what it asks by has changed. */
import { useEffect, useState } from "../vendor/hooks.js";
import { ApiError, getJson } from "../api.js";
import { annotator } from "../state/annotator.js";

/** @typedef {{told: any, error: ApiError | null, again: () => void}} Asked */

/**
 * Ask for JSON; who reads is part of the question. What was told stays until the next answer.
 * @param {string} path nothing is asked while it is empty
 * @param {import("../api.js").Params} [params]
 * @returns {Asked}
 */
export function useAsked(path, params = {}) {
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {ApiError | null} */ (null));
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const until = new AbortController();
    if (path) {
      getJson(path, params, until.signal).then(
        (answer) => { setTold(answer); setError(null); },
        (failed) => { if (!until.signal.aborted) setError(asError(failed)); });
    }
    return () => until.abort();
  }, [path, JSON.stringify(params), annotator.value, turn]);
  return { told, error, again: () => setTurn((before) => before + 1) };
}

/** @param {unknown} failed */
export const asError = (failed) => (failed instanceof ApiError ? failed : new ApiError(0, String(failed)));

/** A name as part of a path. @param {string} name */
export const part = (name) => encodeURIComponent(name);

/**
 * Names and facts of runs by their ids, as far as they are stored.
 * @param {string[]} ids up to 50 @param {string | undefined} project
 * @returns {Record<string, import("../list/run.js").Run>}
 */
export function useRuns(ids, project) {
  const where = ids.length ? `trace_id in (${ids.map((id) => `"${id}"`).join(", ")})` : "";
  const { told } = useAsked(where && "/v1/trajectories", { where, project, is_duplicate: "any", limit: ids.length || 1 });
  /** @type {import("../list/run.js").Run[]} */
  const runs = told?.items ?? [];
  return Object.fromEntries(runs.map((run) => [run.trace_id, run]));
}
