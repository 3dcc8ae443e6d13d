/** Notes in the header of a run, each on a line: the failure with its message, a repeated call. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { money, short } from "../format.js";
import { t } from "../i18n/index.js";
import "../i18n/run_views.js";
import { change, place, when } from "../state/place.js";
import { cause, isFault, isPassed } from "../tree/outline.js";
import { html, line, visible } from "../ui/html.js";
import { grid, runPath, view } from "./state.js";

/** Go to a row of the tree; if another view of the run is shown, switch to the tree. @param {number} i */
export function goTo(i) {
  if (!grid.peek()) change({ view: null }, true);
  void when(grid, Boolean).then((there) => there?.select(i, true));
}

export function Notes() {
  const there = view.value;
  if (!there) return "";
  const { o, loops } = there;
  const row = cause(o);
  const loop = [...loops.values()].reduce((/** @type {Loop | null} */ most, one) => (most && most.times >= one.times ? most : one), null);
  return html`${row >= 0 && html`<${Failed} o=${o} row=${row} more=${begun(o) - 1} />`}${loop && html`<${Repeated} o=${o} loop=${loop} />`}`;
}

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("../tree/outline.js").Loop} Loop */

// The outline has no costs, so they are fetched with the first words of the rows.

const CHUNK = 512;
/** Maximum number of rows in a loop whose cost is shown. */
const MOST = 8 * CHUNK;

/** The cost of a loop in US dollars; null if no row has one. @param {Loop} loop @param {import("../api.js").Params} params @param {AbortSignal} until */
async function costOf({ first, end }, params, until) {
  if (end - first > MOST) return null;
  const chunks = Array.from({ length: Math.ceil((end - first) / CHUNK) }, (_, k) => first + k * CHUNK);
  const answers = await Promise.all(chunks.map((from) => getJson(`${runPath()}/rows`, { ...params, from, to: Math.min(from + CHUNK, end) }, until)));
  /** @type {number[]} */
  const costs = answers.flatMap(({ items }) => items).flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length ? costs.reduce((sum, one) => sum + one) : null;
}

/** The longest loop, with its tokens and cost. @param {{o: Outline, loop: Loop}} props */
function Repeated({ o, loop }) {
  const [cost, setCost] = useState(/** @type {number | null} */ (null));
  const { project } = place.value.query;
  const { first, times, tokens } = loop;
  useEffect(() => {
    const until = new AbortController();
    costOf(loop, { project, version: o.version }, until.signal).then(setCost, () => {});
    return () => until.abort();
  }, [o, first]);
  const took = [tokens > 0 && `${short(tokens)} ${t("tree.head.tokens")}`, cost !== null && money(cost)].filter(Boolean).join(", ");
  return html`<button class="plain" onClick=${() => goTo(first)}>↻ <bdi>${line(o.names[o.name[first]], 60)}</bdi>: ${t("note.same", { n: times })}</button>
    ${took && html`<span class="quiet">${took}</span>`}`;
}

/** The number of rows in which a failure began, without rows that only propagated a failure. @param {Outline} o */
const begun = (o) => o.flags.reduce((sum, _, i) => sum + Number(isFault(o, i) && !isPassed(o, i)), 0);

/** The step with which the failure began, and its message. @param {{o: Outline, row: number, more: number}} props */
function Failed({ o, row, more }) {
  const [words, setWords] = useState("");
  const { project } = place.value.query;
  useEffect(() => {
    const until = new AbortController();
    const params = { project, version: o.version, from: row, to: row + 1 };
    getJson(`${runPath()}/rows`, params, until.signal).then(({ items }) => setWords(items[0]?.error || t("note.failed")), () => {});
    return () => until.abort();
  }, [o, row]);
  return html`<button class="plain bad" title=${visible(words)} onClick=${() => goTo(row)}>✕ <bdi>${line(o.names[o.name[row]], 60)}</bdi>${words && html`: <bdi>${line(words, 200)}</bdi>`}</button>
    ${more > 0 && html`<span class="quiet">${t("note.more", { n: more })}</span>`}`;
}
