/** The runs in the list for the URL's query, their total number, annotations and scores. */
import { batch, effect, signal } from "../vendor/signals.js";
import { ApiError, getJson } from "../api.js";
import { place } from "../state/place.js";
import { faultOf, sent } from "../state/range.js";
import { number, t } from "../i18n/index.js";
import { visible } from "../ui/html.js";

// The runs in the list for the URL's query, and their total number.

/** @typedef {import("./run.js").Run} Run */

export const PAGE = 50;

/** The displayed rows; null until the first are loaded. */
export const runs = signal(/** @type {Run[] | null} */ (null));
/** Position of the first displayed row in the whole list, from 0. */
export const first = signal(0);
export const nextCursor = signal(/** @type {string | null} */ (null));
/** The number of runs that match the query; null while unknown. */
export const total = signal(/** @type {number | null} */ (null));
export const failure = signal(/** @type {ApiError | null} */ (null));
export const isLoading = signal(false);

let listRequest = new AbortController();

/** The parameters of the query that are sent to the service. @param {import("../state/place.js").Query} query */
export function question(query) {
  return { where: query.where, project: query.project, duplicate: query.duplicate ?? query.is_duplicate, has_steps: query.has_steps, ...sent(query) };
}

/** The parameters of a page of the list, without the cursor. @param {import("../state/place.js").Query} query */
export function pageParams(query) {
  return { ...question(query), order: query.order, limit: PAGE };
}

/** Reload; the displayed rows stay until the response arrives. */
export async function load() {
  listRequest.abort();
  const mine = (listRequest = new AbortController());
  const { query } = place.peek();
  if (faultOf(query, Date.now())) return;
  isLoading.value = true;
  total.value = null;
  void count(query, mine.signal);
  try {
    const page = await getJson("/v1/trajectories", { ...pageParams(query), cursor: query.cursor }, mine.signal);
    batch(() => {
      runs.value = page.items;
      first.value = Number(query.at ?? 0);
      nextCursor.value = page.next_cursor;
      failure.value = null;
      isLoading.value = false;
    });
  } catch (error) {
    if (mine.signal.aborted) return;
    failure.value = error instanceof ApiError ? error : new ApiError(0, String(error));
    isLoading.value = false;
  }
}

/** Page size of requests that only need the ids of a query's runs. */
const IDS = 500;

/** Yield the first runs that match a query of the list, at most `most`, in the order of the list, each once. @param {import("../state/place.js").Query} query @param {number} most */
export async function* answersTo(query, most) {
  /** @type {Set<string>} */
  const known = new Set();
  let cursor = "";
  do {
    const page = await getJson("/v1/trajectories", { ...pageParams(query), limit: Math.min(IDS, most), fields: "project,trace_id", cursor });
    for (const run of page.items) {
      if (known.has(keyOf(run)) || known.size === most) continue;
      known.add(keyOf(run));
      yield { trace: run.trace_id, project: run.project };
    }
    cursor = page.next_cursor;
  } while (cursor && known.size < most);
}

/** @param {import("../state/place.js").Query} query @param {AbortSignal} until */
async function count(query, until) {
  try {
    const data = await getJson("/v1/stats", { ...question(query), metrics: "count" }, until);
    total.value = data.items[0]?.count ?? 0;
  } catch {
    // The list is usable without the total.
  }
}

// Annotations and scores of the displayed runs; requested after the rows, once for a page.

/** A score of a whole run. @typedef {import("../records.js").ScoreItem} Score */

/** The maximum number of scores loaded for a page of runs. */
const MOST_SCORES = 1000;

/** @param {{project: string, trace_id: string}} of */
export const keyOf = (of) => `${of.project} ${of.trace_id}`;

/** The scores of the displayed runs. */
const scores = signal(/** @type {Map<string, Score[]>} */ (new Map()));
/** The displayed runs that are annotated. */
const annotated = signal(/** @type {Set<string>} */ (new Set()));

/** @param {Run} run */
export const isAnnotated = (run) => annotated.value.has(keyOf(run));

let marksRequest = new AbortController();

/** Request annotations and scores of runs. @param {Run[]} rows */
async function ask(rows) {
  marksRequest.abort();
  const until = (marksRequest = new AbortController()).signal;
  const ids = rows.map((run) => run.trace_id);
  const { project } = place.peek().query;
  const where = `annotated and trace_id in (${ids.map((id) => `"${id}"`).join(", ")})`;
  try {
    const [some, given] = await Promise.all([
      getJson("/v1/trajectories", { project, where, fields: "project,trace_id", duplicate: "any", limit: ids.length }, until),
      getJson("/v1/scores", { project, trace_id: ids, target: "trajectory", limit: MOST_SCORES }, until),
    ]);
    batch(() => {
      annotated.value = new Set(some.items.map(keyOf));
      scores.value = Map.groupBy(/** @type {Score[]} */ (given.items).filter((one) => !isAnswer(one)).toSorted(before), keyOf);
    });
  } catch {
    // The list is usable without annotations and scores.
  }
}

const PEOPLE = new Set(["adjudication", "human"]);

/** Whether a score is a person's annotation of the whole run, whose value is JSON text and not a rating. @param {Score} score */
const isAnswer = ({ name, source, value }) => PEOPLE.has(source) && name.endsWith("/answer") && typeof value === "string";

/** Compare two scores for sorting: numbers first, then scores by people, then by name and author. @param {Score} a @param {Score} b */
function before(a, b) {
  return Number(typeof b.value === "number") - Number(typeof a.value === "number")
    || Number(PEOPLE.has(b.source)) - Number(PEOPLE.has(a.source)) || (`${a.name} ${a.author}` < `${b.name} ${b.author}` ? -1 : 1);
}

/** A run's scores in a few characters: the mean of the scores with the first name, and how many other names there are. @param {Run} run */
export function scoreOf(run) {
  const all = scores.value.get(keyOf(run)) ?? [];
  const byName = Map.groupBy(all, (one) => one.name);
  const leading = byName.values().next().value;
  if (!leading) return "";
  const decided = leading.filter((one) => one.source === "adjudication"); // adjudicated scores have precedence
  const figures = (decided.length ? decided : leading).map((one) => one.value).filter((value) => typeof value === "number");
  const shown = figures.length ? number(Math.round((figures.reduce((sum, one) => sum + one, 0) / figures.length) * 100) / 100) : inShort(leading[0]);
  return byName.size > 1 ? `${shown} +${byName.size - 1}` : shown;
}

/** Every score of a run, one per line. @param {Run} run */
export function scoresInWords(run) {
  const all = scores.value.get(keyOf(run)) ?? [];
  return all.map((one) => visible(`${one.name}: ${inShort(one)}${one.is_complete ? "" : ` (${t("list.provisional")})`} · ${one.author}`)).join("\n");
}

/** @param {Score} score */
function inShort({ value, passed }) {
  if (typeof value === "number") return number(value);
  if (value === null || typeof value === "boolean") return (value ?? passed) ? "✓" : "✕";
  return value.slice(0, 12);
}

effect(() => { if (runs.value?.length) void ask(runs.value); });
