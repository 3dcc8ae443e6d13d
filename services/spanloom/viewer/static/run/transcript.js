/** The run as a transcript of requests, messages, calls and results; sub-agents are indented. */
import "../i18n/run_views.js";
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { ERROR } from "../service.js";
import { change, place } from "../state/place.js";
import { ms, rowOf } from "../tree/outline.js";
import { asError, useAgain } from "../ui/fetched.js";
import { html, line, visible } from "../ui/html.js";
import { choose, chosen, runPath, view, wholeDocument } from "./state.js";
import { duration } from "../format.js";
import { parsed } from "../step/json.js";
import { areMessages, Messages, Value } from "../step/messages.js";
import { Failure } from "../ui/frame.js";

// Loads a page of the transcript's steps: with complete texts, or for a huge run with their first words.

/** @typedef {import("../tree/view.js").View} View */
/** @typedef {import("../step/panel.js").Step} Step */
/** A step by its row; `step` is null until it was loaded, `words` are its first words. @typedef {{row: number, level: number, step: Step | null, words: string}} Entry */

export const AT_ONCE = 200;
/** Documents with more spans are too large for a browser. */
export const LARGE = 20_000;
/** Number of rows per request. */
const ROWS = 500;

/** The steps of a document in order of start, each below its agent. @param {any} document @param {{o: import("../tree/outline.js").Outline}} there @returns {Entry[]} */
export function flat(document, there) {
  /** @type {Map<string, Step[]>} */
  const owned = new Map(document.agent_steps.map((/** @type {any} */ agent) => [agent.id, agent.steps]));
  const root = document.root_step;
  /** @type {Entry[]} */
  const entries = [];
  /** @param {Step} step @param {number} level */
  const add = (step, level) => entries.push({ row: rowOf(there.o, step.id), level, step, words: "" });
  /** @param {string} id @param {number} level */
  const walk = (id, level) => {
    for (const step of owned.get(id) ?? []) {
      add(step, level);
      if (step.type === "agent" && step.id !== id) walk(step.id, level + 1);
    }
  };
  add({ ...root, type: document.extraction.root_type ?? "agent" }, 0);
  walk(root.id, 0);
  return entries;
}

/** The rows that are not framework plumbing, as entries without texts. @param {View} there @returns {Entry[]} */
function rowsOf(there) {
  const rows = Array.from(there.o.depth.keys()).filter((row) => !there.hidden[row]);
  return rows.map((row) => ({ row, level: there.lane[row], step: null, words: "" }));
}

/** The steps of one page and their total number, or the error that prevented loading them. @param {View | null} there @returns {{entries: Entry[] | null, first: number, count: number, error: import("../api.js").ApiError | null, again: () => void}} */
export function usePage(there) {
  const { project, at } = place.value.query;
  const [all, setAll] = useState(/** @type {Entry[] | null} */ (null));
  const [loaded, setLoaded] = useState(/** @type {Map<number, string>} */ (new Map()));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [attempt, again] = useAgain(error);
  const first = Math.max(0, Math.min(Number(at) || 0, (all?.length ?? 1) - 1));
  useEffect(() => {
    if (!there) return;
    if (there.o.n > LARGE) setAll(rowsOf(there));
    else wholeDocument().then((document) => { setAll(flat(document, there)); setError(null); }, (failed) => setError(asError(failed)));
  }, [there, project, attempt]);
  const entries = all?.slice(first, first + AT_ONCE) ?? null;
  useEffect(() => {
    if (!there || !entries?.length || entries[0].step) return undefined;
    const until = new AbortController();
    firstWords(there.o.version, entries[0].row, entries[entries.length - 1].row + 1, until.signal).then(setLoaded, () => {});
    return () => until.abort();
  }, [all, first]);
  return { entries: entries?.map((one) => Object.assign({}, one, { words: loaded.get(one.row) ?? "" })) ?? null, first, count: all?.length ?? 0, error, again };
}

/** Fetch the error or the preview of each row. @param {number} version @param {number} from @param {number} to @param {AbortSignal} until */
async function firstWords(version, from, to, until) {
  const { project } = place.peek().query;
  /** @type {Map<number, string>} */
  const found = new Map();
  for (let at = from; at < to; ) {
    const { items } = await getJson(`${runPath()}/rows`, { project, version, from: at, to: Math.min(at + ROWS, to) }, until);
    if (!items.length) break;
    for (const one of items) found.set(one.row, one.error || one.preview);
    at += items.length;
  }
  return found;
}

/** @param {{first: number, shown: number, count: number}} props */
export function Pager({ first, shown, count }) {
  if (count <= AT_ONCE) return "";
  /** @param {number} at */
  const go = (at) => change({ at: at > 0 ? String(at) : null }, true);
  return html`<nav class="pager" aria-label=${t("transcript.pages")}>
    <button disabled=${first === 0} onClick=${() => go(first - AT_ONCE)}>‹ ${t("transcript.before")}</button>
    <span>${t("transcript.at", { from: first + 1, to: first + shown, n: count })}</span>
    <button disabled=${first + shown >= count} onClick=${() => go(first + AT_ONCE)}>${t("transcript.next")} ›</button></nav>`;
}

const DEEPEST = 8;

export function Transcript() {
  const there = view.value;
  const { entries, first, count, error, again } = usePage(there);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => box.current?.scrollTo(0, 0), [first]);
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!there || !entries) return html`<p class="quiet pad">…</p>`;
  return html`${there.o.n > LARGE && html`<p class="quiet pad">${t("transcript.short", { n: LARGE })}</p>`}
    <div class="transcript" ref=${box} tabindex="0" role="region" aria-label=${t("view.transcript")}><h2 class="sr">${t("view.transcript")}</h2>
      ${entries.map((entry) => html`<${Line} key=${entry.row} entry=${entry} />`)}</div>
    <${Pager} first=${first} shown=${entries.length} count=${count} />`;
}

/** @param {{entry: Entry}} props */
export function Line({ entry: { row, level, step, words } }) {
  const o = /** @type {import("../tree/outline.js").Outline} */ (view.peek()?.o);
  const isKnown = row >= 0;
  const type = step?.type ?? o.kinds[o.kind[row]];
  const name = step?.name ?? o.names[o.name[row]];
  const length = step ? Number(step.basic_info.duration) : ms(o, o.dur[row]);
  const failure = step?.basic_info.error?.msg ?? (!step && o.flags[row] & ERROR ? words : "");
  return html`<article class="entry k-${type} ${isKnown && chosen.value === row ? "on" : ""}" style=${{ marginInlineStart: `${Math.min(level, DEEPEST) * 20}px` }}>
    <h3><button class="plain" disabled=${!isKnown} onClick=${() => choose(row)}><b class="kind">${type}</b> <bdi>${visible(name)}</bdi></button>
      <span class="quiet">${duration(length)}</span>
      ${failure && html`<span class="bad">✕ ${visible(failure.slice(0, 200))}</span>`}</h3>
    ${step ? html`<${Said} step=${step} />` : !failure && words && html`<div class="text">${line(words, 400)}</div>`}
  </article>`;
}

/** @param {{step: Step}} props */
function Said({ step }) {
  const answer = parsed(step.output);
  if (step.type === "model") return areMessages(answer) ? html`<${Messages} messages=${answer} isAnswer=${true} />` : html`<${Value} text=${step.output} />`;
  if (step.type === "tool") {
    return html`<div class="call"><div class="given"><h4>→ ${t("chat.given")}</h4><${Value} text=${step.input} /></div><div class="result"><h4>← ${t("chat.result")}</h4><${Value} text=${step.output} /></div></div>`;
  }
  return step.input ? html`<div class="asked"><${Value} text=${step.input} /></div>` : "";
}
