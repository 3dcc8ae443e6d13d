/** Search in the steps of a conversation: first in the runs that the word index returns, then in the others. */
import { t } from "../i18n/index.js";
import { Search } from "../run/search.js";
import { turns, view } from "../run/state.js";
import { quoted } from "../state/filters.js";
import { place, when } from "../state/place.js";
import { html } from "../ui/html.js";
import { runsOf } from "./forest.js";
import { progress, RunSearch } from "./run_search.js";
import { areAll, linesOf } from "./runs.js";
import { partAt } from "./state.js";

/** Maximum number of runs that are searched automatically; of more runs only those that the index returns. */
const FEW = 20;

const runsNow = () => runsOf(/** @type {import("../tree/view.js").View} */ (view.peek()).o);

export function Finder() {
  return turns.value >= 0 && html`<${Search} find=${findInRuns}><${Progress} /><//>`; // the available types change with the rows
}

function Progress() {
  const now = progress.value;
  if (!now || now.of <= FEW || now.n === now.of || (place.value.query.q ?? "").length < 2) return "";
  const { n, of, isGoing, turn } = now;
  return html`<span class="quiet">${t("conversation.looked", { n, of })}</span>
    <button title=${t("conversation.look.means")} onClick=${turn}>${t(isGoing ? "conversation.look.stop" : "conversation.look")}</button>`;
}

/** @type {import("../run/search.js").Find} */
async function findInRuns(q, until, tell) {
  progress.value = null;
  await when(areAll, Boolean);
  const all = [...runsNow().parts.keys()];
  const isFew = all.length <= FEW;
  const named = isFew ? null : await namedRuns(q, until);
  const first = named ?? all.filter((at) => isFew || partAt(at).outline);
  const search = new RunSearch(q, until, () => tell(() => rowsOf(search.hits)), [...new Set([...first, ...all])]);
  for (const at of named ?? []) search.hits.set(at, [{ row: -1, snippet: "" }]); // the run itself, until the steps are known
  await search.go(first.length);
}

/** The rows of hits, by their current numbers. @param {RunSearch["hits"]} hits */
function rowsOf(hits) {
  const now = runsNow();
  /** @type {Map<number, string>} */
  const rows = new Map();
  for (const [at, found] of hits) {
    for (const { row, snippet } of found) rows.set(partAt(at) === now.parts[at] ? now.row(at, row) : now.heads[at], snippet);
  }
  return rows;
}

/** The indexes of the runs with the words in a text or a step name, loaded ones first; null if the query has no word search. @param {string} q @param {AbortSignal} until */
async function namedRuns(q, until) {
  const runs = runsNow();
  const name = `(?i)${q.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")}`;
  /** @type {number[]} */
  const found = [];
  try {
    for await (const line of linesOf(`(${quoted(q)} or has(name ~ ${quoted(name)}))`, "project,trace_id", until)) {
      const at = runs.numberOf(line.trace_id);
      if (at >= 0) found.push(at);
    }
  } catch (error) {
    if (until.aborted) throw error;
    return null;
  }
  const isWaiting = (/** @type {number} */ at) => Number(partAt(at).outline === null);
  return found.toSorted((a, b) => isWaiting(a) - isWaiting(b) || a - b);
}
