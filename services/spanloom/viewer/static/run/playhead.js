/** One playhead for all views of a run: position, speed, current step. */
import { computed, signal } from "../vendor/signals.js";
import { Clock, concurrency, gaps, leaves } from "../tree/clock.js";
import { place } from "../state/place.js";
import { grid, turns, view } from "./state.js";

/** Playback speeds: `fit` plays the whole run in a fixed time, others are multiples of real time. */
export const SPEEDS = /** @type {const} */ (["fit", "1", "4", "16", "64"]);
const WHOLE_S = 20;
/** Time per step in step mode, in which the playhead jumps from step to step. */
const STEP_MS = 900;

/** Whether idle time is cut out if the URL does not set it. */
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

/** The index in the score of the last step that had begun, or -1. @param {number} time */
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

/** Selects a row if no tree is shown. */
let turnTo = /** @type {(row: number) => void} */ (() => {});
/** Set how a row is selected if no tree is shown. @param {(row: number) => void} choose */
export function whenNoTree(choose) { turnTo = choose; }

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

/** Play from the playhead, or pause. */
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
