/** Search in a run: types, names and agents in the browser, texts by the service. */
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { change, place, when } from "../state/place.js";
import { asError, useAgain } from "../ui/fetched.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { grid, only, runPath, turnFrames, turns, view } from "./state.js";

/** @typedef {{row: number, part?: string, snippet: string}} Hit */
/** Receives a function that returns the snippets of hits by the current row numbers. @typedef {(rows: () => Map<number, string>) => void} Report */
/** Searches for `q` and reports the rows with hits, once or repeatedly as more are found. @typedef {(q: string, until: AbortSignal, report: Report) => Promise<void>} Find */

const PAUSE_MS = 250;

/** @param {string | undefined} text */
const kindsOf = (text) => new Set((text ?? "").split(",").filter(Boolean));

/** The search text from the list that led here, until the page has gone to the first step with it. */
let arrived = place.peek().query.step ? "" : (place.peek().query.q ?? "");

/** The first row with the text in its output or error, otherwise in its input; a row is skipped if a descendant also has the text. @param {Hit[]} hits */
function firstSource(hits) {
  const { end } = /** @type {import("../tree/view.js").View} */ (view.peek()).o;
  const outputs = hits.filter(({ part }) => part === "output" || part === "error");
  const all = outputs.length ? outputs : hits;
  return all.find(({ row }) => !all.some((other) => other.row > row && other.row < end[row]))?.row ?? -1;
}

/** @type {Find} */
async function findInRun(q, until, report) {
  const data = await getJson(`${runPath()}/search`, { q, project: place.peek().query.project, version: view.peek()?.o.version }, until);
  const found = new Map(data.items.map((/** @type {Hit} */ hit) => [hit.row, hit.snippet]));
  report(() => found);
  const row = q === arrived ? firstSource(data.items) : -1;
  arrived = "";
  if (row >= 0) void when(grid, Boolean).then((there) => there?.select(row, true));
}

/** @param {{find?: Find, children?: import("../vendor/preact.js").Child}} props `children`: shown next to the number of hits */
export function Search({ find = findInRun, children }) {
  const { q = "", type, alone, project } = place.value.query;
  const [loaded, setLoaded] = useState(/** @type {{q: string, of: object, rows: () => Map<number, string>} | null} */ (null));
  const [silent, setSilent] = useState(/** @type {{q: string, error: import("../api.js").ApiError} | null} */ (null));
  const error = silent?.q === q ? silent.error : null;
  const [attempt] = useAgain(error);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const kinds = kindsOf(type);
  const there = view.value;
  const found = loaded?.q === q && loaded.of === there ? loaded : null; // results of another query are not hits of this query
  useKeys([{ key: "/", label: "key.search", run: () => input.current?.focus() }], []);
  useEffect(() => {
    if (q.length < 2 || !there) return undefined;
    const until = new AbortController();
    const later = setTimeout(() => {
      find(q, until.signal, (rows) => { setLoaded({ q, of: there, rows }); setSilent(null); }).catch((failed) => { if (!until.signal.aborted) setSilent({ q, error: asError(failed) }); });
    }, PAUSE_MS);
    return () => { clearTimeout(later); until.abort(); };
  }, [q, project, there, attempt]);
  useLayoutEffect(() => { // before new rows are drawn
    if (!there) return;
    there.snippets = found?.rows() ?? new Map();
    there.filter(q || kinds.size || only.value ? { kinds, text: q, found: there.snippets.keys(), only: only.value, isAlone: alone === "1" } : null);
    grid.peek()?.changed();
  }, [q, type, alone, found, there, there?.o, grid.value, only.value]);
  const isLooking = q.length > 1 && !found && !error;
  const isOn = q !== "" || kinds.size > 0 || only.value !== null;
  return html`<search class="find">
    <input ref=${input} type="search" value=${q} aria-label=${t("find.label")} placeholder=${t("find.label")}
      onInput=${(/** @type {Event} */ event) => change({ q: /** @type {HTMLInputElement} */ (event.target).value })}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") next(); if (event.key === "Escape") { change({ q: null }); input.current?.blur(); } }} />
    ${there?.o.kinds.filter((kind) => !["other", "run"].includes(kind) && hasKind(kind)).map((kind) => html`<button class="type k-${kind}" aria-pressed=${String(kinds.has(kind))} onClick=${() => turnKind(kinds, kind)}>${kind}</button>`)}
    ${hasPlumbing() && html`<button aria-pressed=${String(turns.value >= 0 && there?.hasFrames)} title=${`${t("key.frames")} (o)`} onClick=${turnFrames}>${t("find.frames")}</button>`}
    ${isOn && html`<button aria-pressed=${String(alone === "1")} onClick=${() => change({ alone: alone ? null : "1" })}>${t("find.alone")}</button>`}
    <span role="status" class="quiet">${isOn && turns.value >= 0 && there && (!isLooking || there.hitCount) ? t("find.hits", { n: there.hitCount }) : ""}${isLooking ? ` ${t("find.looking")}` : ""}${isOn && error && html` · <span class="bad" title=${error.message}>${t("find.silent")}</span>`}</span>${children}
  </search>`;
}

/** Go to the next hit. */
function next() {
  const there = grid.peek();
  if (!there?.view.hits) return;
  const { hits, o } = there.view;
  for (let k = 1; k <= o.n; k++) {
    const i = (there.active + k) % o.n;
    if (hits[i]) return there.select(i, true);
  }
}

/** @param {Set<string>} kinds @param {string} kind */
function turnKind(kinds, kind) {
  const set = new Set(kinds);
  if (!set.delete(kind)) set.add(kind);
  change({ type: [...set].join(",") });
}

/** @param {string} kind */
function hasKind(kind) {
  const o = view.peek()?.o;
  return o ? o.kind.includes(o.kinds.indexOf(kind)) : false;
}

const hasPlumbing = () => { const o = view.peek()?.o; return o ? o.kind.includes(o.kinds.indexOf("other")) : false; };
