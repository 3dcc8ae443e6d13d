/** In which steps of a conversation a text stands: in its runs alone where they are few, else in those that the service finds first. */
import { getJson } from "../api.js";
import { view } from "../run/state.js";
import { quoted } from "../state/filters.js";
import { runsOf } from "./forest.js";
import { askRuns, pathOf } from "./runs.js";
import { fetchRun, partAt } from "./state.js";

/** Of so many runs the steps are looked through; of others that have it the run alone is shown. */
const AT_ONCE = 20;

/** @type {import("../run/search.js").Find} */
export async function findInRuns(q, until) {
  const isFetched = (/** @type {number} */ at) => Number(partAt(at).outline !== null);
  const wanted = (await runsWith(q, until)).toSorted((a, b) => isFetched(b) - isFetched(a));
  const near = wanted.slice(0, AT_ONCE);
  const found = wanted.slice(AT_ONCE).map((at) => ({ at, row: -1, snippet: "" }));
  await Promise.all(near.map(async (at) => {
    await fetchRun(at);
    const { run, outline } = partAt(at);
    if (!outline || until.aborted) return;
    const told = await getJson(`${pathOf(run)}/search`, { q, project: run.project, version: outline.version }, until).catch(() => ({ items: [] }));
    for (const { row, snippet } of told.items) found.push({ at, row, snippet });
  }));
  return () => {
    const now = runsOf(/** @type {import("../tree/view.js").View} */ (view.peek()).o);
    return new Map(found.map(({ at, row, snippet }) => [partAt(at) === now.parts[at] ? now.row(at, row) : now.heads[at], snippet]));
  };
}

/** The numbers of the runs in which a text may stand, or the name of a step has it. @param {string} q @param {AbortSignal} until @returns {Promise<number[]>} */
async function runsWith(q, until) {
  const runs = runsOf(/** @type {import("../tree/view.js").View} */ (view.peek()).o);
  const all = [...runs.parts.keys()];
  if (all.length <= AT_ONCE) return all;
  const named = `(?i)${q.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}`;
  try {
    const told = await askRuns(`(${quoted(q)} or has(name ~ ${quoted(named)}))`, { fields: "project,trace_id" }, until);
    return told.items.map((/** @type {any} */ one) => runs.numberOf(one.trace_id)).filter((/** @type {number} */ at) => at >= 0);
  } catch (error) {
    if (until.aborted) throw error;
    return all.filter((at) => runs.parts[at].outline); // texts are not searched here, or not so
  }
}
