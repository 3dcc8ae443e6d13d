/**
 * The time range of the URL, which all pages with runs use: `since` is a time (RFC 3339 or ms) or a duration
 * before now (`7d`), `until` a time. Both are sent to the service unchanged.
 */
import { link } from "./place.js";

/** The ranges that are one click away. */
export const RANGES = ["1h", "24h", "7d", "30d"];

/** @typedef {import("./place.js").Query} Query */
/** An interval on the time axis, in ms since the epoch; `end` is exclusive. @typedef {{start: number, end: number}} Slot */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS = /** @type {Record<string, number>} */ ({ m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY });

/** The time zone of the user, by its IANA name. */
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The range as parameters of a request. @param {Query} query */
export const sent = ({ since, until }) => ({ since, until });

/** The URL of another section for the same project and time range. @param {string} path @param {Query} query @param {Record<string, string | null | undefined>} [more] */
export const shared = (path, { project, since, until }, more = {}) => link(path, { project, since, until, ...more });

/** A time in the URL in ms; NaN if it is not a time. @param {string} text @param {number} now */
export function timeOf(text, now) {
  const ago = /^([1-9]\d{0,5})([mhdw])$/.exec(text);
  if (ago) return now - Number(ago[1]) * UNITS[ago[2]];
  return /^\d+$/.test(text) ? Number(text) : Date.parse(text);
}

/** The range in ms; null for an end that is open. @param {Query} query @param {number} now @returns {{since: number | null, until: number | null}} */
export function range({ since, until }, now) {
  return { since: since ? timeOf(since, now) : null, until: until ? timeOf(until, now) : null };
}

/** The key of the error message for the range in a URL; empty if the range is valid. @param {Query} query @param {number} now @returns {"" | "range.unknown" | "range.backwards"} */
export function faultOf(query, now) {
  const { since, until } = range(query, now);
  if (Number.isNaN(since) || Number.isNaN(until)) return "range.unknown";
  return since !== null && until !== null && since >= until ? "range.backwards" : "";
}

// Slots: the parts of a chart's time axis. Days and hours begin as in the user's time zone.

/** The length of slots, as the service spells it and in ms. @typedef {{interval: string, ms: number}} Step */

/** @type {Step[]} */
const STEPS = [
  { interval: "1m", ms: MINUTE }, { interval: "5m", ms: 5 * MINUTE }, { interval: "15m", ms: 15 * MINUTE }, { interval: "1h", ms: HOUR },
  { interval: "6h", ms: 6 * HOUR }, { interval: "1d", ms: DAY }, { interval: "7d", ms: 7 * DAY }, { interval: "28d", ms: 28 * DAY },
];
const MOST_SLOTS = 62;

/** The shortest slot length that covers a duration with at most `MOST_SLOTS` slots; the longest length if none does. @param {number} ms @returns {Step} */
export const stepFor = (ms) => STEPS.find((step) => ms / step.ms <= MOST_SLOTS) ?? STEPS[STEPS.length - 1];

/** The offset of the user's time zone from UTC, in ms. @param {number} ms */
const offset = (ms) => -new Date(ms).getTimezoneOffset() * MINUTE;

/** The start of the slot that contains a time; slots start at multiples of their length in the user's local time. @param {number} ms @param {Step} step */
function floor(ms, step) {
  const wall = Math.floor((ms + offset(ms)) / step.ms) * step.ms;
  if (step.ms <= HOUR) return wall - offset(ms);
  const at = new Date(wall);
  return new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours()).getTime();
}

/** The start of the next slot: a day on which the clock changes has 23 or 25 hours. @param {number} start @param {Step} step */
const after = (start, step) => floor(start + step.ms + (step.ms > HOUR ? 2 * HOUR : 0), step);

/** Return consecutive intervals, from the interval that contains `since` to the interval that contains the last time before `until`. @param {number} since @param {number} until @param {Step} step @returns {Slot[]} */
export function slots(since, until, step) {
  /** @type {Slot[]} */
  const found = [];
  for (let start = floor(since, step); start < until && found.length < 1000; start = found[found.length - 1].end) found.push({ start, end: after(start, step) });
  return found;
}

/** The index of the interval that contains a time; -1 if none does. @param {Slot[]} all in order @param {number} ms */
export function slotAt(all, ms) {
  let [low, high] = [0, all.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ms < all[middle].start) high = middle - 1;
    else if (ms >= all[middle].end) low = middle + 1;
    else return middle;
  }
  return -1;
}
