/** The whole conversation in order: question and answer of each turn; the steps in between on request. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { flat, LARGE, Line } from "../run/transcript.js";
import { spanId } from "../tree/outline.js";
import { areAll, pathOf } from "./runs.js";
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { clock, duration, moment, short } from "../format.js";
import { t } from "../i18n/index.js";
import { pageOf, stateOf } from "../list/run.js";
import { choose, chosen, turns, view } from "../run/state.js";
import { change, place } from "../state/place.js";
import { Value } from "../step/messages.js";
import { html, visible } from "../ui/html.js";
import { runsOf } from "./join.js";
import { fetchRun, partAt } from "./state.js";
import { remember } from "./header.js";

// Fetches the whole questions and answers for the turns in view, and the steps of a turn when it is opened.

/** @typedef {import("./runs.js").Run} Run */
/** @typedef {import("../run/transcript.js").Entry} Entry */
/** @typedef {{question: string, answer: string, error: string}} TurnTexts */

/** The texts of runs, by trace id; each run is fetched once. @type {import("../vendor/signals.js").Signal<Map<string, TurnTexts>>} */
export const loaded = signal(new Map());
/** @type {Map<string, Promise<void>>} */
const coming = new Map();

/** The question and answer of a run in one line each, as in the list. @param {Run} run @returns {TurnTexts} */
export const inShort = (run) => ({ question: run.question, answer: run.answer, error: "" });

/** Fetch the whole question and answer. @param {Run} run @param {import("../tree/outline.js").Outline | null} outline */
export function load(run, outline) {
  const known = coming.get(run.trace_id) ?? read(run, outline).catch(() => inShort(run)).then((one) => {
    loaded.value = new Map(loaded.peek()).set(run.trace_id, one);
  });
  coming.set(run.trace_id, known);
  return known;
}

/** @param {Run} run @param {import("../tree/outline.js").Outline | null} outline @returns {Promise<TurnTexts>} */
async function read(run, outline) {
  const { project } = run;
  const id = outline?.n ? spanId(outline, 0) : (await getJson(`${pathOf(run)}/rows`, { project, from: 0, to: 1 })).items[0].span_id;
  const root = await getJson(`${pathOf(run)}/steps/${id}`, { project, texts: "last" });
  return { question: root.input || run.question, answer: root.output || run.answer, error: root.basic_info.error?.msg ?? "" };
}

/** The steps of a run below its root, in order, by rows of its own outline; null if the run is too long. @param {Run} run @param {import("../tree/outline.js").Outline} outline @returns {Promise<Entry[] | null>} */
export async function stepsOf(run, outline) {
  if (outline.n > LARGE) return null;
  return flat(await getJson(pathOf(run), { project: run.project }), { o: outline }).slice(1);
}

// The transcript.

/** @typedef {import("./join.js").Part} Part */

/** Runs per page. */
const AT_ONCE = 50;
/** Number of leading turns that are loaded completely before any is shown, so that the first screen does not move. */
const WHOLE = 6;
/** Maximum number of steps shown for a turn; the run's own transcript has all steps. */
const MOST_STEPS = 200;
/** Distance in pixels at which a turn is loaded before it comes into view. */
const AHEAD = 1_500;

export function Transcript() {
  const there = view.value;
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [ready, setReady] = useState(-1);
  const parts = there && turns.value >= 0 ? runsOf(there.o).parts : [];
  const on = there && parts.length ? runsOf(there.o).at(Math.max(0, chosen.peek())) : 0;
  const { at = String(on - (on % AT_ONCE)) } = place.value.query;
  const first = Math.max(0, Math.min(Number(at) || 0, parts.length - 1));
  const shown = parts.slice(first, first + AT_ONCE);
  useEffect(() => {
    let isOver = false;
    const begin = on >= first && on < first + shown.length ? on - first : 0;
    void Promise.all(shown.slice(begin, begin + WHOLE).map(({ run, outline }) => load(run, outline))).then(() => { if (!isOver) setReady(first); });
    return () => { isOver = true; };
  }, [first, parts.length > 0]);
  useEffect(() => {
    box.current?.scrollTo(0, 0);
    box.current?.querySelector(".turn ~ .turn.on")?.scrollIntoView();
  }, [ready]);
  if (!there || ready !== first) return html`<p class="quiet pad">…</p>`;
  return html`<div class="transcript turns" ref=${box} tabindex="0" role="region" aria-label=${t("view.transcript")}><h2 class="sr">${t("view.transcript")}</h2>
      ${shown.map((part, k) => html`<${Turn} key=${part.run.trace_id + part.run.project} part=${part} at=${first + k} />`)}</div>
    <${Pager} first=${first} shown=${shown.length} count=${parts.length} />`;
}

/** @param {{part: Part, at: number}} props `at`: the index of the run, from 0 */
function Turn({ part: { run, outline }, at }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const seen = new IntersectionObserver((all) => {
      if (!all.some((one) => one.isIntersecting)) return;
      seen.disconnect();
      void load(run, outline);
    }, { root: box.current?.parentElement, rootMargin: `${AHEAD}px` });
    if (box.current) seen.observe(box.current);
    return () => seen.disconnect();
  }, [run]);
  const { state, sign, words } = stateOf(run);
  const texts = loaded.value.get(run.trace_id) ?? inShort(run);
  const runs = runsOf(/** @type {import("../tree/view.js").View} */ (view.peek()).o);
  const isOn = chosen.value >= 0 && runs.at(chosen.value) === at;
  const begun = Number(run.started_at);
  return html`<article class="turn ${isOn ? "on" : ""}" ref=${box} aria-label=${`#${at + 1}`}>
    <header><button class="plain" onClick=${() => choose(runs.heads[at])}>#${at + 1} <span class="state s-${state}" title=${words}>${sign}<span class="sr"> ${words}</span></span></button>
      <a class="run-name" href=${pageOf(run)} onClick=${remember}><bdi>${visible(run.root_name || run.trace_id)}</bdi></a>
      <span class="quiet" title=${moment(begun)}>${clock(begun)} · ${duration(Number(run.duration))} · ${short(run.input_tokens)} / ${short(run.output_tokens)} token</span>
      ${run.failures > 0 && html`<span class="bad">✕ ${run.failures}</span>`}</header>
    ${texts.question && html`<section class="said by-user"><h3>${t("conversation.asked")}</h3><${Value} text=${texts.question} /></section>`}
    <${Steps} part=${{ run, outline }} at=${at} />
    ${texts.error && html`<p class="bad">✕ ${visible(texts.error.slice(0, 400))}</p>`}
    ${texts.answer && html`<section class="said by-assistant"><h3>${t("conversation.answered")}</h3><${Value} text=${texts.answer} /></section>`}
  </article>`;
}

/** The steps between question and answer. @param {{part: Part, at: number}} props */
function Steps({ part, at }) {
  const { run } = part;
  const [isOpen, setOpen] = useState(false);
  const [steps, setSteps] = useState(/** @type {Entry[] | null | undefined} */ (undefined));
  const there = view.value;
  useEffect(() => {
    if (!isOpen || steps !== undefined) return;
    void fetchRun(at).then(async () => {
      const { outline } = partAt(at);
      setSteps(outline ? await stepsOf(run, outline).catch(() => null) : null);
    });
  }, [isOpen]);
  const n = Object.values(run.step_counts).reduce((sum, one) => sum + one, 0) - 1;
  if (n < 1 || !there || turns.value < 0) return "";
  const runs = runsOf(there.o);
  return html`<div class="between"><button class="plain" aria-expanded=${String(isOpen)} onClick=${() => setOpen(!isOpen)}>${isOpen ? "▾" : "▸"} ${t("conversation.steps", { n })}</button>
    ${isOpen && (steps === undefined ? html`<p class="quiet">…</p>` : steps?.slice(0, MOST_STEPS).map((entry) => html`<${Line} key=${entry.row} entry=${{ ...entry, row: entry.row < 0 ? -1 : runs.row(at, entry.row) }} />`))}
    ${isOpen && (steps === null || (steps?.length ?? 0) > MOST_STEPS) && html`<p><a href=${pageOf(run, { view: "transcript" })} onClick=${remember}>${t("conversation.all")}</a></p>`}</div>`;
}

/** @param {{first: number, shown: number, count: number}} props */
function Pager({ first, shown, count }) {
  if (count <= AT_ONCE) return "";
  /** @param {number} at */
  const go = (at) => change({ at: String(Math.max(0, at)) }, true);
  return html`<nav class="pager" aria-label=${t("transcript.pages")}>
    <button disabled=${first === 0} onClick=${() => go(first - AT_ONCE)}>‹ ${t("conversation.earlier")}</button>
    <span>${t("conversation.at", { from: first + 1, to: first + shown, n: count })}${areAll.value ? "" : " …"}</span>
    <button disabled=${first + shown >= count} onClick=${() => go(first + AT_ONCE)}>${t("conversation.later")} ›</button></nav>`;
}
