/** Fetches runs in a format, one by one, and joins them into one file. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { ApiError, getText } from "../api.js";
import { asError } from "../ui/fetched.js";
import { layoutOf } from "./layouts.js";

/** @typedef {{trace: string, project?: string, version?: string, step?: string}} Source */
/** The runs, or a function that yields the first runs. @typedef {Source[] | ((most: number) => AsyncIterable<Source>)} Sources */
/** @typedef {import("./formats.js").Format} Format */
/** `reason`: a code of a loss, or empty; `detail`: the message of the service. @typedef {{trace: string, project?: string, reason: string, detail: string}} Skipped */
/** `losses`: how often each code was counted. @typedef {{parts: BlobPart[], read: number, written: number, losses: Record<string, number>, skipped: Skipped[]}} Collected */

/** Maximum number of runs that the page exports for a query. */
export const MOST = 1000;
/** Statuses that end an export, because all further runs would get the same status: no response, no access, overload. */
const OF_ALL = new Set([0, 401, 403, 429, 503]);

/** The path and the parameters of a run in a format. @param {Source} source @param {Format} format @returns {[string, import("../api.js").Params]} */
export function addressOf({ trace, project, version }, { id, path }) {
  const run = `/v1/trajectories/${trace}`;
  if (path) return [`${run}/${path}`, { project, version }];
  return version ? [`${run}/versions/${version}`, { project }] : [run, { project, format: id }];
}

/** Whether a format is available for old versions. @param {Format} format */
export const isKept = ({ id }) => id === "html" || id === "canonical";

/** The counts of a header `Spanloom-Losses`, by code. @param {string} header @returns {[string, number][]} */
export function countsIn(header) {
  return header.split(",").map((one) => one.trim().split("=")).filter(([code, n]) => code && n).map(([code, n]) => [code, Number(n)]);
}

/**
 * Fetch the runs. A run that the format cannot represent, or that was deleted, is skipped with the reason; without
 * access or a response the export ends.
 * @param {Iterable<Source> | AsyncIterable<Source>} sources @param {Format} format @param {string} layout
 * @param {(now: Collected) => void} report called after each run @param {AbortSignal} until
 */
export async function collect(sources, format, layout, report, until) {
  const file = layoutOf(layout);
  /** @type {Collected} */
  const made = { parts: [], read: 0, written: 0, losses: {}, skipped: [] };
  for await (const source of sources) {
    try {
      const { text, losses } = await getText(...addressOf(source, format), until);
      made.parts.push(new Blob([file.add(text)])); // a `Blob`, because the browser may store it on disk
      made.written += 1;
      for (const [code, n] of countsIn(losses)) made.losses[code] = (made.losses[code] ?? 0) + n;
    } catch (error) {
      if (!(error instanceof ApiError) || OF_ALL.has(error.status)) throw error;
      made.skipped.push({ trace: source.trace, project: source.project, reason: error.reason, detail: error.message });
    }
    until.throwIfAborted();
    made.read += 1;
    report({ ...made });
  }
  made.parts.push(file.end());
  return made;
}

/** @typedef {{made: Collected | null, isRunning: boolean, error: ApiError | null}} State */
const IDLE = /** @type {State} */ ({ made: null, isRunning: false, error: null });

/** Collects runs for a component; a new start or unmounting the component cancels the previous collection. */
export function useCollected() {
  const [state, setState] = useState(IDLE);
  const running = useRef(new AbortController());
  const stop = () => {
    running.current.abort();
    setState(IDLE);
  };
  useEffect(() => () => running.current.abort(), []);
  /** @param {Sources} sources @param {Format} format @param {string} layout @returns {Promise<Collected | null>} null if it was cancelled or failed */
  const start = async (sources, format, layout) => {
    running.current.abort();
    const { signal } = (running.current = new AbortController());
    const report = (/** @type {State} */ now) => { if (!signal.aborted) setState(now); };
    report({ ...IDLE, isRunning: true });
    try {
      const every = Array.isArray(sources) ? sources : sources(MOST);
      const made = await collect(every, format, layout, (now) => report({ made: now, isRunning: true, error: null }), signal);
      report({ made, isRunning: false, error: null });
      return signal.aborted ? null : made;
    } catch (failed) {
      report({ ...IDLE, error: asError(failed) });
      return null;
    }
  };
  return { ...state, start, stop };
}
