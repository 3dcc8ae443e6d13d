/** One playhead for all views of a run: where it stands, how fast it goes, at which step it is. */
import { computed, signal } from "../vendor/signals.js";
import { concurrency } from "../tree/busy.js";
import { Clock, gaps, leaves } from "../tree/clock.js";
import { place } from "../state/place.js";
import { grid, turns, view } from "./state.js";

/** How many seconds the whole run takes to be played, or how many times faster than it was. */
export const SPEEDS = /** @type {const} */ (["fit", "1", "4", "16", "64"]);
const WHOLE_S = 20;
/** In step mode nothing glides: each step is shown for a while. */
const STEP_MS = 900;

/** Whether idle time is left out where the address says nothing. */
export const cutting = { isUsual: false };
export const isCut = () => (place.value.query.cut ?? (cutting.isUsual ? "1" : "")) === "1";

/** The moment at which the playhead stands, in the outline's units; null while nobody plays. */
export const head = signal(/** @type {number | null} */ (null));
export const isPlaying = signal(false);
export const speed = signal(/** @type {typeof SPEEDS[number]} */ ("fit"));
/** What can be played: the steps at which something is done, how many of them at once, and the clock that leaves idle time out. */
export const score = computed(() => {
  const there = view.value;
  if (!there || turns.value < 0) return null;
  const rows = leaves(there);
  return { rows, clock: new Clock(there.o, gaps(there.o, there.o.runs?.heads ?? rows)), busy: concurrency(there.o, rows) };
});

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The place in the score of the last step that had begun, or -1. @param {number} time */
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

/** Put the playhead somewhere; the step that goes on there is chosen. @param {number} time */
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

/** Which row to choose while no tree is there. */
let turnTo = /** @type {(row: number) => void} */ (() => {});
/** Say how a row is chosen where there is no tree. @param {(row: number) => void} choose */
export function whenNoTree(choose) { turnTo = choose; }

/** To the next step, or one back. @param {number} by @returns {boolean} whether there was one */
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

/** Play from the playhead on, or pause. */
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

/** Leave the playhead: nothing is dimmed any more. */
export function stop() {
  pause();
  head.value = null;
}

function stepping() {
  timer = setTimeout(() => (step(1) ? stepping() : pause()), STEP_MS);
}

/** @param {number} before when the last frame was */
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
