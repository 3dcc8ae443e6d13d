/** What a part of the page asks the service, again whenever what it asks by has changed. */
import { useEffect, useState } from "../vendor/hooks.js";
import { ApiError, getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { annotator } from "../state/annotator.js";
import { returns } from "../state/away.js";

/** @typedef {{told: any, error: ApiError | null, again: () => void}} Asked */

/** @param {unknown} failed */
export const asError = (failed) => (failed instanceof ApiError ? failed : new ApiError(0, String(failed)));

/** What a part of the page that did not come is to who waits for it. */
export const missing = () => new ApiError(0, t("error.unreachable"));

/** Counts up when what failed is to be tried again: somebody wants it, or the service is back. @param {ApiError | null} error @returns {[number, () => void]} */
export function useAgain(error) {
  const [turn, setTurn] = useState(0);
  const again = () => setTurn((before) => before + 1);
  useEffect(() => { if (error?.status === 0) again(); }, [returns.value]);
  return [turn, again];
}

/**
 * Ask for JSON; who reads is part of the question. What was told stays until the next answer, what went wrong until the next question.
 * @param {string} path nothing is asked while it is empty
 * @param {import("../api.js").Params} [params]
 * @returns {Asked}
 */
export function useAsked(path, params = {}) {
  const [told, setTold] = useState(/** @type {any} */ (null));
  const [failed, setFailed] = useState(/** @type {{of: string, error: ApiError} | null} */ (null));
  const of = JSON.stringify([path, params, annotator.value]);
  const error = failed?.of === of ? failed.error : null;
  const [turn, again] = useAgain(error);
  useEffect(() => {
    const until = new AbortController();
    if (path) {
      getJson(path, params, until.signal).then(
        (answer) => { setTold(answer); setFailed(null); },
        (why) => { if (!until.signal.aborted) setFailed({ of, error: asError(why) }); });
    }
    return () => until.abort();
  }, [of, turn]);
  return { told, error, again };
}
