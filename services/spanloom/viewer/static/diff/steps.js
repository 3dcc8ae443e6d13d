/** Two runs side by side: their ids, their totals, and the steps that differ. */
import { change, link, place } from "../state/place.js";
import { t } from "../i18n/index.js";
import { html, line, visible } from "../ui/html.js";
import { duration, moment, money, percent, short } from "../format.js";
import { stateOf } from "../list/run.js";
import { useEffect, useMemo, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { LongText } from "../step/text.js";
import { areMessages, messagePairs } from "./messages.js";

// The two runs of a comparison, and links to their own pages.

/** @typedef {{trace_id: string, project: string, version: number, status: string, outcome: string, name: string, started_at: string}} Side */

/** The URL of a side's run, with its version if two versions of one run are compared. @param {Side} side @param {string} [step] */
export function sideLink(side, step) {
  const { project, av, bv } = place.value.query;
  const version = [av, bv].find((one) => Number(one) === side.version);
  return link(`/trajectories/${side.trace_id}`, { project, step, version });
}

/** The id of a run in pasted text: the id itself, or a URL that contains it; empty if there is none. @param {string} text */
export function idIn(text) {
  return /(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/i.exec(text)?.[0].toLowerCase() ?? "";
}

// The form for the two runs to compare: a hint about the list, and two fields for ids.

/** @param {{a: string, b: string}} props the ids that the URL already has */
export function DiffForm({ a, b }) {
  /** @param {SubmitEvent} event */
  const compare = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    change({ a: idIn(String(given.get("a"))), b: idIn(String(given.get("b"))), av: null, bv: null }, true);
  };
  /** @param {Event} event */
  const check = (event) => {
    const field = /** @type {HTMLInputElement} */ (event.target);
    field.setCustomValidity(idIn(field.value) ? "" : t("diff.id"));
  };
  return html`<section class="notice ask"><h2>${t("diff.which")}</h2><p>${t("diff.how", { key: "x" })}</p>
    <form onSubmit=${compare}>
      <label>${t("diff.first")}<input name="a" class="code" required autocomplete="off" spellcheck=${false} defaultValue=${a} placeholder=${t("diff.id")} onInput=${check} /></label>
      <label>${t("diff.second")}<input name="b" class="code" required autocomplete="off" spellcheck=${false} defaultValue=${b} placeholder=${t("diff.id")} onInput=${check} /></label>
      <button class="main">${t("diff.compare")}</button></form></section>`;
}

// The metrics of two runs, side by side below their names.

const OPS = /** @type {const} */ (["same", "changed", "added", "removed", "moved"]);
const NAMES = /** @type {const} */ (["duration", "model_time", "tool_time", "input_tokens", "output_tokens", "cost", "agent_steps", "model_steps", "tool_steps", "graph_steps", "errors"]);
/** @type {Record<string, (value: number) => string>} */
const SHOWN = { duration, model_time: duration, tool_time: duration, cost: money };

/** @param {{diff: {a: Side, b: Side, summary: any}}} props */
export function Sums({ diff: { a, b, summary } }) {
  const names = NAMES.filter((name) => summary.metrics[name] && (!name.endsWith("_steps") || summary.metrics[name].some(Boolean)));
  return html`<dl class="facts">${OPS.filter((op) => summary[op]).map((op) => html`<div class="op-${op}"><dt>${t(`op.${op}`)}</dt><dd>${summary[op]}</dd></div>`)}</dl>
    <table class="sides sums"><thead><tr><th>${t("diff.metrics")}</th>${[a, b].map((side) => html`<th scope="col"><${Run} side=${side} isVersion=${a.trace_id === b.trace_id} /></th>`)}<th scope="col">${t("diff.difference")}</th></tr></thead>
      <tbody>${names.map((name) => html`<tr class=${summary.metrics[name][0] === summary.metrics[name][1] ? "alike" : ""}><th scope="row">${t(`diff.of.${name}`)}</th>
        ${summary.metrics[name].map((/** @type {number | null} */ value) => html`<td title=${value ?? ""}>${measured(name, value)}</td>`)}<td class="number ${better(name, summary.metrics[name])}">${apart(name, summary.metrics[name])}</td></tr>`)}</tbody></table>`;
}

/** @param {string} name @param {number | null} value */
const measured = (name, value) => (value === null ? "–" : (SHOWN[name] ?? short)(value));

/** The change from the first value to the second as text, also in per cent; empty if there is none. @param {string} name @param {(number | null)[]} values */
function apart(name, [a, b]) {
  if (a === null || b === null || a === b) return "";
  const sign = b > a ? "+" : "−";
  return `${sign}${measured(name, Math.abs(b - a))}${a ? ` (${sign}${percent(Math.abs(b - a) / a)})` : ""}`;
}

/** The CSS class of a change: less duration, cost and failures is better; numbers of steps are neutral. @param {string} name @param {(number | null)[]} values */
function better(name, [a, b]) {
  if (a === null || b === null || a === b || name.endsWith("_steps")) return "";
  return b < a ? "fine" : "wrong";
}

/** A link to a run with its name and status. @param {{side: Side, isVersion: boolean}} props `isVersion`: both are versions of one run */
function Run({ side, isVersion }) {
  const { state, sign, words } = stateOf(side);
  return html`<span class="side-name"><span class="state s-${state}" title=${words}>${sign}<span class="sr"> ${words}</span></span> <a href=${sideLink(side)} title=${side.trace_id}><bdi>${visible(side.name || side.trace_id)}</bdi></a></span>
    <span class="quiet">${moment(Number(side.started_at))}${isVersion && ` · ${t("diff.version", { version: side.version })}`}</span>`;
}

// Two texts side by side, with the differing words marked.

/** @typedef {import("../vendor/diff-word.js").Piece} Piece */

/** Maximum number of differing words, and maximum duration of a comparison; beyond them the texts are shown unmarked. */
const HOW = { maxEditLength: 2_000, timeout: 500 };
/** Longer texts are not compared by words. */
const MOST_MARKED = 20_000;
/** Maximum time for all comparisons on a page, in milliseconds; further comparisons need a click on their button. */
const MOST_MS = 1_500;
/** The function that compares by words; null until it is loaded. */
const compare = signal(/** @type {((a: string, b: string, how: typeof HOW) => Piece[] | undefined) | null} */ (null));
let spent = 0;

/** Load the comparison by words, which then marks texts that are already shown. */
async function loadWords() {
  compare.value ??= (await import("../vendor/diff-word.js")).diffWordsWithSpace;
}

/** The common and differing parts of two texts; undefined if the texts differ too much. @param {string} a @param {string} b */
function piecesOf(a, b) {
  const since = performance.now();
  const pieces = a.length > MOST_MARKED || b.length > MOST_MARKED ? undefined : compare.value?.(a, b, HOW);
  spent += performance.now() - since;
  return pieces;
}

/** Whether two texts have words to compare. @param {string | null} a @param {string | null} b @returns {boolean} */
const areSentences = (a, b) => [a, b].every((one) => one !== null && /\S\s+\S/.test(one));

/** Two cells with their differences marked. @param {{a: string | null, b: string | null, op: Op}} props null: nothing on this side */
function Cells({ a, b, op }) {
  const [isAsked, setAsked] = useState(false);
  const comparing = compare.value;
  const isOwn = areSentences(a, b);
  const pieces = useMemo(() => (isOwn && comparing && (isAsked || spent < MOST_MS) ? piecesOf(a ?? "", b ?? "") : null), [a, b, comparing, isAsked]);
  if (pieces) return html`<${Marked} pieces=${pieces} side="removed" /><${Marked} pieces=${pieces} side="added" />`;
  const none = op === "added" || op === "removed" ? "" : "–";
  const cell = (/** @type {string | null} */ text) => html`<td>${text === null ? none : html`<${LongText} text=${text} />`}</td>`;
  const more = isOwn && comparing && !isAsked && pieces === null && html`<button onClick=${() => setAsked(true)}>${t("words.compare")}</button>`;
  return html`${cell(a)}<td>${b === null ? none : html`<${LongText} text=${b} />`} ${more}</td>`;
}

/** @param {{pieces: Piece[], side: "added" | "removed"}} props */
function Marked({ pieces, side }) {
  const tag = side === "added" ? "ins" : "del";
  const own = pieces.filter((one) => one[side] || (!one.added && !one.removed));
  return html`<td class="words"><span class="text" dir="auto">${own.map((one) => (one[side] ? html`<${tag}>${visible(one.value)}<//>` : visible(one.value)))}</span></td>`;
}

// The differing steps of two runs side by side, with their differences.

/** @typedef {"same" | "changed" | "added" | "removed" | "moved"} Op */
/** @typedef {{op: Op, a?: number | null, b?: number | null, a_id?: string, b_id?: string, type?: string, name?: string, changes?: {field: string, a: unknown, b: unknown}[]}} Step */

/** The name of a step, or both names if they differ between the runs. @param {Step} step */
function namesOf({ name, changes }) {
  const renamed = changes?.find((one) => one.field === "name");
  return renamed ? `${renamed.a} → ${renamed.b}` : (name ?? "");
}

/** @param {{diff: any}} props */
export function Steps({ diff }) {
  useEffect(() => { spent = 0; void loadWords(); }, [diff]);
  return html`<table class="sides steps-of"><tbody>${diff.steps.map((/** @type {Step} */ step) => html`
    <tr class="op-${step.op} k-${step.type}"><th><span class="op">${t(`op.${step.op}`)}</span> <b class="kind">${step.type}</b> <bdi>${line(namesOf(step), 80)}</bdi></th>
      <td>${stepLink(diff.a, step.a, step.a_id)}</td><td>${stepLink(diff.b, step.b, step.b_id)}</td></tr>
    ${(step.changes ?? []).map((one) => html`<${Change} ...${one} op=${step.op} />`)}`)}
  </tbody></table>`;
}

/** @param {{field: string, a: unknown, b: unknown, op: Op}} props */
function Change({ field, a, b, op }) {
  const isOneSided = (/** @type {unknown} */ value, /** @type {Op} */ side) => op === side && value === null;
  const pairs = areMessages(a) || areMessages(b) ? messagePairs(a, b) : [[isOneSided(a, "added") ? null : shown(field, a), isOneSided(b, "removed") ? null : shown(field, b)]];
  return pairs.map(([ours, theirs], n) => html`<tr class="change"><th>${n ? html`<span class="sr">${field}</span>` : field}</th><${Cells} a=${ours} b=${theirs} op=${op} /></tr>`);
}

/** A value as text; a missing value differs from an empty text, because a failed step without a message has an empty error. @param {string} field @param {unknown} value */
function shown(field, value) {
  if (value === null || value === undefined) return "–";
  if (value === "") return t("diff.empty");
  if (field === "duration" && typeof value === "number") return duration(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** @param {Side} side @param {number | null | undefined} at @param {string | undefined} id */
function stepLink(side, at, id) {
  if (!id) return html`<span class="none">–</span>`;
  return html`<a href=${sideLink(side, id)} title=${id}>${typeof at === "number" ? t("diff.step", { n: at }) : t("diff.root")}</a>`;
}
