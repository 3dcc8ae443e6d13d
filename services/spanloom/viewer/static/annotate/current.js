/** The current annotation session: its scheme, its annotator, and the writes from this window. */
import { ApiError, getJson, getRows, sendJson } from "../api.js";
import { effect, signal } from "../vendor/signals.js";
import { keepScores } from "../run/scores.js";
import { runPath, traceId, view } from "../run/state.js";
import { annotator, kept } from "../state/reader.js";
import { place } from "../state/place.js";
import { Keep } from "./keep.js";
import { Sender } from "./sender.js";
import { Session } from "./session.js";

// Scores of a run and its steps that come from rules, models and imported files.

const EVALUATORS = ["model", "rule", "llm", "code", "api", "import"];
const MOST = 1000;

/** Fetch the scores of steps by rules and models, and store the scores of the run for its header; people's annotations are already loaded. @param {string} trace @param {string | undefined} project @returns {Promise<any[]>} */
export async function stepScores(trace, project) {
  const data = await getJson("/v1/scores", { project, trace_id: trace, source: EVALUATORS, limit: MOST }).catch(() => null);
  const items = data?.items ?? [];
  keepScores(trace, items);
  return items.filter((/** @type {any} */ one) => one.target === "step");
}

/** @typedef {import("./scheme.js").Scheme} Scheme */

/** All schemes of the project, schemes stored in the project first; null until they are loaded. */
export const schemes = signal(/** @type {Scheme[] | null} */ (null));
export const session = signal(/** @type {Session | null} */ (null));
export const sender = signal(/** @type {Sender | null} */ (null));
export const trouble = signal(/** @type {ApiError | null} */ (null));
/** The name of the scheme that was used last in this browser. */
export const lastScheme = kept("annotate.scheme", "potato");
/** If other people have annotated more steps than this, their annotations are requested only once. */
const MOST_AGAIN = 5000;
/** Delay of further requests in milliseconds, so that the annotator's own annotations are drawn first. */
const AFTER_MS = 50;
/** The run's project, as reported by the service. */
let project = "";
/** Incremented whenever writes of this window are stored. */
let stores = 0;

/** @type {Scheme} */
const UNKNOWN = { name: "", project: null, annotation_type: "", description: "", correctness_options: [], correct_option: "", error_types: [], severities: [], max_score: 0, show_score: false, required: false, agents: [], reason_required: false, definitions: {}, hash: "", put_at: null, put_by: "", text: "", remarks: [] };

/** The scheme with this name; an empty scheme if the name is unknown. @param {string} name */
export const schemeOf = (name) => schemes.peek()?.find((one) => one.name === name) ?? UNKNOWN;

/** The scheme that the URL names; the first scheme if there is no such scheme. */
export function wantedScheme() {
  const { annotate } = place.value.query;
  return schemes.value?.find((one) => one.name === annotate) ?? schemes.value?.[0] ?? null;
}

/** Request the schemes. */
export async function loadSchemes() {
  try {
    const data = await getJson("/v1/schemes", { project: place.peek().query.project });
    /** @type {Map<string, Scheme>} */
    const named = new Map();
    for (const one of [...data.items, ...data.presets]) if (!named.has(one.name)) named.set(one.name, one);
    schemes.value = [...named.values()];
  } catch (error) {
    showError(error);
  }
}

const showSchemes = async () => { await (schemes.peek() ?? loadSchemes()); if (schemes.peek()) trouble.value = null; };

/**
 * Open the session that the URL names. The service stores the displayed version, so that the steps which its
 * annotations refer to remain available.
 */
export async function open() {
  const [there, who] = [view.peek(), annotator.peek()];
  const name = place.peek().query.annotate;
  if (!there || !name) return;
  if (!who) return showSchemes(); // schemes are visible without a name
  if (isOpen(there, who)) return;
  try {
    const own = askOwn(name, who); // annotations of others may be many, so they are requested afterwards
    ready();
    await Promise.all([own, schemes.peek() ?? loadSchemes()]);
    const scheme = wantedScheme();
    const isLate = () => view.peek() !== there || annotator.peek() !== who || isOpen(there, who);
    if (!scheme || isLate()) return;
    const data = await (scheme.name === name ? own : askOwn(scheme.name, who));
    if (isLate()) return;
    project = data.project;
    const context = { trace: traceId(), project, scheme: scheme.name, annotator: who, version: there.o.version };
    const made = new Session(scheme, there, context, /** @type {Sender} */ (sender.peek()));
    made.load(data);
    [session.value, trouble.value, lastScheme.value] = [made, null, scheme.name];
    setTimeout(() => void accompany(made), AFTER_MS);
  } catch (error) {
    showError(error);
  } finally {
    pending.clear();
  }
}

/** Whether the displayed session is the requested one. @param {import("../tree/view.js").View} there @param {string} who */
function isOpen(there, who) {
  const of = session.peek();
  const scheme = wantedScheme();
  return of !== null && scheme !== null && of.view === there && of.context.annotator === who && of.scheme.name === scheme.name && of.scheme.hash === scheme.hash;
}

/** Pending requests for this annotator's annotations, by their parameters. @type {Map<string, ReturnType<typeof askRows>>} */
const pending = new Map();

/** Request this annotator's annotations, only once, although `open` is called again as soon as the schemes are known. @param {string} scheme @param {string} who */
function askOwn(scheme, who) {
  const params = { project: place.peek().query.project, scheme, annotator: who };
  const key = JSON.stringify(params);
  const coming = pending.get(key) ?? askRows(params);
  pending.set(key, coming);
  return coming;
}

/** Request the stored annotations. @param {import("../api.js").Params} params */
async function askRows(params) {
  /** @type {any[]} */
  const items = [];
  return { ...(await getRows(`${runPath()}/annotations`, params, (row) => items.push(row))), items };
}

/** Make the service store the displayed version, and load other people's annotations and the scores, for which annotating need not wait. @param {Session} of */
async function accompany(of) {
  void sendJson("PUT", `${runPath()}/versions/${of.context.version}`, {}, { project }).catch(() => {}); // fails if there is a newer version; saves are accepted anyway
  await reload();
  await loadScores(of);
}

/** Request the scores by evaluators; people's annotations are already loaded. @param {Session} of */
async function loadScores(of) {
  const found = (await stepScores(traceId(), project)).filter((one) => !(one.name === of.scheme.name && of.people.includes(one.author)));
  of.scores = Map.groupBy(found, (one) => one.step_id);
  of.changed();
}

/** Request the stored annotations again, because other people may have changed theirs. */
export async function reload() {
  const of = session.peek();
  if (!of) return;
  const before = stores;
  const data = await askRows({ project, scheme: of.scheme.name }).catch(() => null);
  if (!data || session.peek() !== of) return;
  if (stores !== before && data.items.length < MOST_AGAIN) await reload(); // the response may lack writes that were stored meanwhile
  else of.load(data);
}

/** Load the unsent writes, once per page; writes left by other windows follow later. */
function ready() {
  if (sender.peek()) return;
  sender.value = new Sender(new Keep(), {
    scheme: schemeOf,
    changed: () => session.peek()?.changed(),
    stored: (batch, answer) => {
      stores += 1;
      const of = session.peek();
      const { trace, scheme, annotator: who } = batch[0].context;
      if (of?.context.trace !== trace || of.scheme.name !== scheme || of.context.annotator !== who) return;
      if (batch[0].kind !== "edit") void reload();
      else for (const row of answer.items) of.take(row);
      of.changed();
    },
  });
  void sender.value.begin().then((left) => { if (left) void reload(); });
}

/** @param {unknown} error */
function showError(error) {
  trouble.value = error instanceof ApiError ? error : new ApiError(0, String(error));
}

document.addEventListener("visibilitychange", () => {
  const isLittle = (session.peek()?.others.size ?? 0) < MOST_AGAIN;
  if (!document.hidden && isLittle) void reload();
});
effect(() => { if (session.value && session.value.view !== view.value) session.value = null; });
