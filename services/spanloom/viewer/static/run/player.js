/** The playhead of a run, and the toolbar that moves it. */
import { computed, signal } from "../vendor/signals.js";
import { Clock, concurrency, criticalPath, gaps, leaves } from "../tree/clock.js";
import { change, place } from "../state/place.js";
import { choose, grid, turns, view } from "./state.js";
import { useEffect } from "../vendor/hooks.js";
import { duration } from "../format.js";
import { t } from "../i18n/index.js";
import { ms } from "../tree/outline.js";
import { html, line } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";

// One playhead for all views of a run: position, speed, current step.

/** Playback speeds: `fit` plays the whole run in a fixed time, others are multiples of real time. */
export const SPEEDS = /** @type {const} */ (["fit", "1", "4", "16", "64"]);
const WHOLE_S = 20;
/** Time per step in step mode, in which the playhead jumps from step to step. */
const STEP_MS = 900;

/** Whether idle time is cut out if the URL does not specify it. */
export const cutting = { isUsual: false };
export const isCut = () => (place.value.query.cut ?? (cutting.isUsual ? "1" : "")) === "1";

/** The time of the playhead, in the outline's units; null if the player is not in use. */
export const head = signal(/** @type {number | null} */ (null));
export const isPlaying = signal(false);
export const speed = signal(/** @type {typeof SPEEDS[number]} */ ("fit"));
/** Data for playback: the leaf steps, their concurrency, and the clock without idle time. */
export const score = computed(() => {
  const there = view.value;
  if (!there || turns.value < 0) return null;
  const rows = leaves(there);
  return { rows, clock: new Clock(there.o, gaps(there.o, there.o.runs?.heads ?? rows)), busy: concurrency(there.o, rows) };
});

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The index, in `score.rows`, of the last step that has begun at a time, or -1. @param {number} time */
export function placeAt(time) {
  const { rows } = /** @type {NonNullable<typeof score.value>} */ (score.peek());
  const { o } = /** @type {import("../tree/view.js").View} */ (view.peek());
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (o.start[rows[middle]] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Move the playhead to a time and select the step that runs then. @param {number} time */
export function seek(time) {
  const there = view.peek();
  const made = score.peek();
  if (!there || !made) return;
  head.value = Math.max(there.o.first, Math.min(there.o.last, time));
  const at = placeAt(head.value);
  if (at < 0) return;
  const row = made.rows[at];
  const shown = grid.peek();
  if (shown) { if (shown.active !== row) shown.select(row, true); }
  else turnTo(row);
}

/** The function that selects a row if no tree is shown. */
let turnTo = /** @type {(row: number) => void} */ (() => {});
/** Set the function that selects a row if no tree is shown. @param {(row: number) => void} select */
export function whenNoTree(select) { turnTo = select; }

/** Go to the next or previous step. @param {number} by @returns {boolean} whether there was one */
export function step(by) {
  const made = score.peek();
  const there = view.peek();
  if (!made || !there) return false;
  const at = head.peek() === null ? (by > 0 ? 0 : -1) : placeAt(/** @type {number} */ (head.peek())) + by;
  if (at < 0 || at >= made.rows.length) return false;
  seek(there.o.start[made.rows[at]]);
  return true;
}

let frame = 0;
let timer = 0;

/** Start playing at the playhead, or pause. */
export function turnPlaying() {
  if (isPlaying.peek()) return pause();
  const there = view.peek();
  if (!there || !score.peek()?.rows.length) return undefined;
  isPlaying.value = true;
  if (head.peek() === null || /** @type {number} */ (head.peek()) >= there.o.last) seek(there.o.first);
  return calm.matches ? stepping() : gliding(performance.now());
}

export function pause() {
  isPlaying.value = false;
  cancelAnimationFrame(frame);
  clearTimeout(timer);
}

/** Leave playback: nothing is dimmed any more. */
export function stop() {
  pause();
  head.value = null;
}

function stepping() {
  timer = setTimeout(() => (step(1) ? stepping() : pause()), STEP_MS);
}

/** @param {number} before the time of the previous frame */
function gliding(before) {
  frame = requestAnimationFrame((now) => {
    const there = view.peek();
    const made = score.peek();
    if (!there || !made) return pause();
    const { o } = there;
    const whole = made.clock.last - o.first;
    const each = speed.peek() === "fit" ? whole / WHOLE_S / 1000 : (Number(speed.peek()) * 1e6) / o.unit;
    const at = made.clock.of(/** @type {number} */ (head.peek())) + (now - before) * each;
    seek(made.clock.at(at));
    return at >= made.clock.last ? pause() : gliding(now);
  });
}

// The player's toolbar: play, position, speed, and switches for idle time and the critical path.

/** @typedef {import("../tree/view.js").View} View */

export function Player() {
  const there = view.value;
  const made = score.value;
  const { critical, view: on } = place.value.query;
  useEffect(() => { whenNoTree(choose); return stop; }, [there]);
  useKeys([
    { key: "p", label: "key.play", run: turnPlaying },
    { key: ">", label: "key.step", run: () => step(1) },
    { key: "<", label: "key.step.before", run: () => step(-1) },
  ], []);
  if (!there || !made?.rows.length) return "";
  const { o } = there;
  const now = head.value;
  const sums = critical ? described(there) : "";
  const position = made.clock.of(now ?? o.first);
  const positionText = now === null ? t("play.off") : t("play.at", { at: duration(ms(o, now - o.first)), of: duration(ms(o, o.last - o.first)), name: nameAt(there, now) });
  return html`<div class="player" role="group" aria-label=${t("play.label")}>
    <button aria-label=${t("play.back")} title="<" onClick=${() => step(-1)}>‹</button>
    <button class="play" aria-pressed=${String(isPlaying.value)} title="p" aria-label=${t(isPlaying.value ? "play.pause" : "play.play")} onClick=${turnPlaying}>${isPlaying.value ? "❚❚" : "▶"}</button>
    <button aria-label=${t("play.on")} title=">" onClick=${() => step(1)}>›</button>
    <input type="range" min=${o.first} max=${made.clock.last} step="any" value=${position} aria-label=${t("play.where")} aria-valuetext=${positionText}
      onInput=${(/** @type {Event} */ event) => seek(made.clock.at(Number(/** @type {HTMLInputElement} */ (event.target).value)))} />
    <select aria-label=${t("play.speed")} value=${speed.value} onChange=${(/** @type {any} */ event) => { speed.value = event.target.value; }}>
      ${SPEEDS.map((one) => html`<option value=${one} selected=${one === speed.value}>${one === "fit" ? t("play.fit") : `${one}×`}</option>`)}</select>
    ${now === null ? "" : html`<span class="quiet at">${duration(ms(o, now - o.first))}</span><button onClick=${stop} aria-label=${t("play.stop")}>×</button>`}
    ${on !== "graph" && html`<span class="room"></span>
      ${made.clock.cut.length > 0 && html`<button aria-pressed=${String(isCut())} onClick=${() => change({ cut: isCut() === cutting.isUsual ? (cutting.isUsual ? "0" : "1") : null })}>${t("flame.cut", { time: duration(made.clock.cut.reduce((sum, [from, to]) => sum + ms(o, to - from), 0)) })}</button>`}
      <button aria-pressed=${String(critical === "1")} onClick=${() => change({ critical: critical ? null : "1" })}>${t("flame.critical")}</button>
      <span class="quiet" role="status" title=${sums}>${sums}</span>
      <span class="quiet">${t("flame.most", { n: made.busy.most })}</span>`}
  </div>`;
}

/** @param {View} there @param {number} now */
function nameAt({ o }, now) {
  const i = score.peek()?.rows[placeAt(now)];
  return i === undefined ? "" : `${o.kinds[o.kind[i]]} ${line(o.names[o.name[i]], 60)}`;
}

/** The time on the critical path per kind of step, as text; only rows without visible children count. @param {View} there */
function described(there) {
  const { o } = there;
  const isOn = criticalPath(there);
  const sums = new Map(o.kinds.map((kind) => [kind, 0]));
  for (const i of score.peek()?.rows ?? []) if (isOn[i]) sums.set(o.kinds[o.kind[i]], (sums.get(o.kinds[o.kind[i]]) ?? 0) + ms(o, o.dur[i]));
  return [...sums].filter(([, time]) => time > 0).map(([kind, time]) => `${kind} ${duration(time)}`).join(" · ");
}
