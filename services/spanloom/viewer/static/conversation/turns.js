/** The whole questions and answers of runs, fetched for the turns in view, and their steps when opened. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { flat, LARGE } from "../run/transcript.js";
import { spanId } from "../tree/outline.js";
import { pathOf } from "./runs.js";

/** @typedef {import("./runs.js").Run} Run */
/** @typedef {import("../run/transcript.js").Entry} Entry */
/** @typedef {{asked: string, answered: string, error: string}} Turn */

/** By trace id; each run is fetched once. @type {import("../vendor/signals.js").Signal<Map<string, Turn>>} */
export const loaded = signal(new Map());
/** @type {Map<string, Promise<void>>} */
const coming = new Map();

/** The one-line texts of a run from the list. @param {Run} run @returns {Turn} */
export const inShort = (run) => ({ asked: run.question, answered: run.answer, error: "" });

/** Fetch the whole question and answer. @param {Run} run @param {import("../tree/outline.js").Outline | null} outline */
export function load(run, outline) {
  const known = coming.get(run.trace_id) ?? read(run, outline).catch(() => inShort(run)).then((one) => {
    loaded.value = new Map(loaded.peek()).set(run.trace_id, one);
  });
  coming.set(run.trace_id, known);
  return known;
}

/** @param {Run} run @param {import("../tree/outline.js").Outline | null} outline @returns {Promise<Turn>} */
async function read(run, outline) {
  const { project } = run;
  const id = outline?.n ? spanId(outline, 0) : (await getJson(`${pathOf(run)}/rows`, { project, from: 0, to: 1 })).items[0].span_id;
  const root = await getJson(`${pathOf(run)}/steps/${id}`, { project, texts: "last" });
  return { asked: root.input || run.question, answered: root.output || run.answer, error: root.basic_info.error?.msg ?? "" };
}

/** The steps of a run below its root, in order, by rows of its own outline; null if the run is too long. @param {Run} run @param {import("../tree/outline.js").Outline} outline @returns {Promise<Entry[] | null>} */
export async function stepsOf(run, outline) {
  if (outline.n > LARGE) return null;
  return flat(await getJson(pathOf(run), { project: run.project }), { o: outline }).slice(1);
}
