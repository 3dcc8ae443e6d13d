/** Searches the steps of a conversation: first the runs that the word index returns, then the other runs. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { areAll, linesOf, pathOf } from "./runs.js";
import { runsOf } from "./join.js";
import { fetchRun, partAt } from "./state.js";
import { t } from "../i18n/index.js";
import { Search } from "../run/search.js";
import { turns, view } from "../run/state.js";
import { quoted } from "../state/filters.js";
import { place, when } from "../state/place.js";
import { html } from "../ui/html.js";

// Searches the runs of a conversation for a text, a few at a time; can be stopped and resumed.

/** @typedef {import("../run/search.js").Hit} Hit */
/** The search's state: `n` of `of` runs are searched; `turn` stops the search, or resumes it with the remaining runs. @typedef {{n: number, of: number, isGoing: boolean, turn: () => void}} SearchProgress */

const AT_ONCE = 4;

/** The progress of the current search. */
export const progress = signal(/** @type {SearchProgress | null} */ (null));

export class RunSearch {
  /** @param {string} q @param {AbortSignal} until @param {() => void} changed called when there is more to show @param {number[]} order the indexes of the runs in search order */
  constructor(q, until, changed, order) {
    this.q = q;
    this.until = until;
    this.changed = changed;
    this.of = order.length;
    /** The indexes of the runs in search order; runs that could not be read are appended, to be searched when the search is resumed. */
    this.order = [...order];
    this.next = 0;
    this.isGoing = false;
    /** Incremented on each start and stop, at which the workers of earlier rounds end. */
    this.round = 0;
    /** The hits by run. @type {Map<number, Hit[]>} */
    this.hits = new Map();
    /** The searched runs. @type {Set<number>} */
    this.seen = new Set();
  }

  /** Continue the search with the next runs of `order`, up to the position `end`; by default all. @param {number} [end] */
  async go(end = this.order.length) {
    this.round += 1;
    this.isGoing = true;
    const { round } = this;
    this.showProgress();
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.work(end, round)));
    if (round === this.round) this.stop();
  }

  stop() {
    this.round += 1;
    this.isGoing = false;
    this.showProgress();
  }

  showProgress() {
    if (this.until.aborted) return;
    progress.value = { n: this.seen.size, of: this.of, isGoing: this.isGoing, turn: () => (this.isGoing ? this.stop() : void this.go()) };
    this.changed();
  }

  /** @param {number} end @param {number} round */
  async work(end, round) {
    while (this.next < end && round === this.round && !this.until.aborted) {
      const at = this.order[this.next++];
      await this.look(at).catch(() => this.order.push(at));
      this.showProgress();
    }
  }

  /** Search the steps of a run; its outline is loaded if there are hits. @param {number} at */
  async look(at) {
    let data = await this.ask(at);
    if (data.items.length && !partAt(at).outline) {
      await fetchRun(at);
      if (partAt(at).outline?.version !== data.version) data = await this.ask(at);
    }
    this.hits.set(at, data.items);
    this.seen.add(at);
  }

  /** @param {number} at @returns {Promise<{version: number, items: Hit[]}>} */
  ask(at) {
    const { run, outline } = partAt(at);
    return getJson(`${pathOf(run)}/search`, { q: this.q, project: run.project, version: outline?.version }, this.until);
  }
}

// The search field.

/** Maximum number of runs that are searched automatically; in a larger conversation only the runs that the index returns. */
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
async function findInRuns(q, until, report) {
  progress.value = null;
  await when(areAll, Boolean);
  const all = [...runsNow().parts.keys()];
  const isFew = all.length <= FEW;
  const named = isFew ? null : await namedRuns(q, until);
  const first = named ?? all.filter((at) => isFew || partAt(at).outline);
  const search = new RunSearch(q, until, () => report(() => rowsOf(search.hits)), [...new Set([...first, ...all])]);
  for (const at of named ?? []) search.hits.set(at, [{ row: -1, snippet: "" }]); // a hit at the run's own row, until its steps are searched
  await search.go(first.length);
}

/** The snippets of the rows with hits, keyed by their current row numbers. @param {RunSearch["hits"]} hits */
function rowsOf(hits) {
  const now = runsNow();
  /** @type {Map<number, string>} */
  const rows = new Map();
  for (const [at, found] of hits) {
    for (const { row, snippet } of found) rows.set(partAt(at) === now.parts[at] ? now.row(at, row) : now.heads[at], snippet);
  }
  return rows;
}

/** The indexes of the runs with the words in a text or a step name, loaded runs first; null if the query has no words to search for. @param {string} q @param {AbortSignal} until */
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
