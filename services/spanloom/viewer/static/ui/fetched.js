/** Fetches data and modules when a component needs them. */
import { useEffect, useState } from "../vendor/hooks.js";
import { ApiError, getJson, returns } from "../api.js";
import { t } from "../i18n/index.js";
import { annotator } from "../state/reader.js";
import { html } from "./html.js";

// Fetches data for a component, and again whenever the parameters change.

/** `isOld`: the data belongs to earlier parameters. @typedef {{data: any, isOld: boolean, error: ApiError | null, again: () => void}} Fetched */

/** @param {unknown} failed */
export const asError = (failed) => (failed instanceof ApiError ? failed : new ApiError(0, String(failed)));

/** Return the error for a module that could not be loaded. */
export const missing = () => new ApiError(0, t("error.unreachable"));

/** A counter that is incremented to retry a failed request: on demand, or when the service is reachable again. @param {ApiError | null} error @returns {[number, () => void]} */
export function useAgain(error) {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => { if (error?.status === 0) again(); }, [returns.value]);
  return [turn, again];
}

/**
 * Fetch JSON; a change of the annotator fetches again. The data stays until the next response, an error until the
 * next request.
 * @param {string} path nothing is fetched while it is empty
 * @param {import("../api.js").Params} [params]
 * @returns {Fetched}
 */
export function useFetched(path, params = {}) {
  const [got, setData] = useState(/** @type {{of: string, data: any}} */ ({ of: "", data: null }));
  const [failed, setFailed] = useState(/** @type {{of: string, error: ApiError} | null} */ (null));
  const of = JSON.stringify([path, params, annotator.value]);
  const error = failed?.of === of ? failed.error : null;
  const [turn, again] = useAgain(error);
  useEffect(() => {
    const until = new AbortController();
    if (path) {
      getJson(path, params, until.signal).then(
        (data) => { setData({ of, data }); setFailed(null); },
        (why) => { if (!until.signal.aborted) setFailed({ of, error: asError(why) }); });
    }
    return () => until.abort();
  }, [of, turn]);
  return { data: got.data, isOld: got.of !== of, error, again };
}

// Loads components when they are shown, so that the first rows do not wait for them.

/**
 * Return a placeholder component that loads the actual one when it is shown.
 * @template {object} P
 * @param {() => Promise<(props: P) => any>} load
 */
export function later(load) {
  /** @type {((props: P) => any) | null} */
  let known = null;
  return (/** @type {P} */ props) => {
    const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
    const [turn, again] = useAgain(error);
    const [, draw] = useState(false);
    useEffect(() => {
      if (!known) load().then((loaded) => { known = loaded; draw(true); }, () => setError(missing()));
    }, [turn]);
    if (known) return html`<${known} ...${props} />`;
    return error ? html`<p class="coming" role="alert">${t("error.unreachable")} <button onClick=${again}>${t("retry")}</button></p>` : html`<p class="quiet coming">…</p>`;
  };
}

// Requests of the pages for team annotation.

/** A name encoded as a segment of a path. @param {string} name */
export const part = (name) => encodeURIComponent(name);

/**
 * Stored runs by their ids.
 * @param {string[]} ids up to 50 @param {string | undefined} project
 * @returns {Record<string, import("../list/run.js").Run>}
 */
export function useRuns(ids, project) {
  const where = ids.length ? `trace_id in (${ids.map((id) => `"${id}"`).join(", ")})` : "";
  const { data } = useFetched(where && "/v1/trajectories", { where, project, duplicate: "any", limit: ids.length || 1 });
  /** @type {import("../list/run.js").Run[]} */
  const runs = data?.items ?? [];
  return Object.fromEntries(runs.map((run) => [run.trace_id, run]));
}
