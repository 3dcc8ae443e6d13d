/** Sends files to the service, one after the other, and collects the result of each. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { ApiError, sendFile } from "../api.js";
import { MOST_BYTES } from "../export/formats.js";
import { t } from "../i18n/index.js";
import { asError } from "../ui/fetched.js";

/** `project`: empty if the spans name it @typedef {{trace_id: string, project: string, place: string, state: "taken" | "unchanged"}} Run */
/** @typedef {{place: string, reason: string}} Rejected */
/** The counts so far, and the `share` of the file that has been read. @typedef {{share: number, accepted_spans: number, rejected_spans: number, unchanged_runs: number, accepted_scores: number, rejected_scores: number, rejected: number, losses: Record<string, number>}} Counts */
/**
 * The result of a file. `runs` and `rejected` have the first items; `taken` counts all runs.
 * @typedef {{name: string, format: string, counts: Counts, runs: Run[], taken: number, rejected: Rejected[], isRunning: boolean, error: ApiError | null}} Imported
 */
/** @typedef {{format: string, project: string, as_new: string}} Wanted */

/** Maximum number of runs and rejections that are listed for a file; all are counted. */
export const KEPT = 200;
/** Milliseconds between updates of the display. */
const DRAWN_MS = 100;
const NONE = { share: 0, accepted_spans: 0, rejected_spans: 0, unchanged_runs: 0, accepted_scores: 0, rejected_scores: 0, rejected: 0, losses: {} };

/** @param {string} name @returns {Imported} */
const begun = (name) => ({ name, format: "", counts: NONE, runs: [], taken: 0, rejected: [], isRunning: true, error: null });

/** Return a function that adds a line of the response to the result of a file. @param {Imported} done @returns {(line: any) => void} */
export function adder(done) {
  const taken = new Set();
  return (line) => {
    if (line.error) throw new ApiError(0, line.error);
    if (line.trace_id) {
      const isNew = !taken.has(line.trace_id);
      if (isNew && done.runs.length < KEPT) done.runs.push(line);
      if (line.state === "taken") taken.add(line.trace_id);
      done.taken = taken.size;
    } else if (line.reason !== undefined) {
      if (done.rejected.length < KEPT) done.rejected.push(line);
    } else {
      done.counts = line;
      done.format = line.format ?? "";
    }
  };
}

/**
 * Import a file. A failure is reported in the result, not thrown.
 * @param {File} file @param {Wanted} wanted @param {(now: Imported) => void} report @param {AbortSignal} until
 */
async function importFile(file, wanted, report, until) {
  const done = begun(file.name);
  report({ ...done });
  const add = adder(done);
  let drawn = 0;
  try {
    if (file.size > MOST_BYTES) throw new ApiError(413, t("import.large", { n: MOST_BYTES >> 20 }));
    await sendFile("/v1/imports", file, wanted, (line) => {
      add(line);
      if (performance.now() - drawn < DRAWN_MS) return;
      drawn = performance.now();
      report({ ...done });
    }, until);
    if (!done.format) throw new ApiError(0, t("import.cut"));
  } catch (failed) {
    if (!until.aborted) done.error = asError(failed);
  }
  report({ ...done, isRunning: false });
}

/** Import files for a component; `stop` or unmounting the component ends the import. */
export function useImported() {
  const [files, setFiles] = useState(/** @type {Imported[]} */ ([]));
  const [isRunning, setRunning] = useState(false);
  const running = useRef(new AbortController());
  const stop = () => running.current.abort();
  useEffect(() => stop, []);
  /** @param {File[]} wanted @param {Wanted} options */
  const start = async (wanted, options) => {
    stop();
    const { signal } = (running.current = new AbortController());
    setRunning(true);
    setFiles([]);
    /** @type {Imported[]} */
    const done = [];
    for (const [at, file] of wanted.entries()) {
      if (signal.aborted) break;
      await importFile(file, options, (now) => { done[at] = now; setFiles([...done]); }, signal);
    }
    setRunning(false);
  };
  return { files, isRunning, start, stop };
}
