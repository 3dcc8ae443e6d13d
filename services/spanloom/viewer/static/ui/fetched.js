/** Fetches data of a component from the service, again whenever its parameters change. */
import { useEffect, useState } from "../vendor/hooks.js";
import { ApiError, getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { annotator } from "../state/annotator.js";
import { returns } from "../state/away.js";

/** @typedef {{data: any, error: ApiError | null, again: () => void}} Fetched */

/** @param {unknown} failed */
export const asError = (failed) => (failed instanceof ApiError ? failed : new ApiError(0, String(failed)));

/** The error of a part of the page that could not be loaded. */
export const missing = () => new ApiError(0, t("error.unreachable"));

/** A counter that is incremented to retry a failed request: on demand, or when the service is reachable again. @param {ApiError | null} error @returns {[number, () => void]} */
export function useAgain(error) {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => { if (error?.status === 0) again(); }, [returns.value]);
  return [turn, again];
}

/**
 * Fetch JSON; the annotator is part of the request. The response is kept until the next one, an error until the next request.
 * @param {string} path nothing is fetched while it is empty
 * @param {import("../api.js").Params} [params]
 * @returns {Fetched}
 */
export function useFetched(path, params = {}) {
  const [data, setData] = useState(/** @type {any} */ (null));
  const [failed, setFailed] = useState(/** @type {{of: string, error: ApiError} | null} */ (null));
  const of = JSON.stringify([path, params, annotator.value]);
  const error = failed?.of === of ? failed.error : null;
  const [turn, again] = useAgain(error);
  useEffect(() => {
    const until = new AbortController();
    if (path) {
      getJson(path, params, until.signal).then(
        (answer) => { setData(answer); setFailed(null); },
        (why) => { if (!until.signal.aborted) setFailed({ of, error: asError(why) }); });
    }
    return () => until.abort();
  }, [of, turn]);
  return { data, error, again };
}
