/** Formats numbers for people, with two or three significant digits and the unit. */
import { locale } from "./i18n/index.js";

/** A duration as text, from µs to hours. @param {number} ms */
export function duration(ms) {
  if (ms < 0.001) return "0 ms";
  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} m`;
}

/** A short count: 1,234 is 1.2k. @param {number} value */
export function short(value) {
  if (value < 1000) return String(value);
  if (value < 999_500) return `${(value / 1000).toFixed(value < 99_950 ? 1 : 0)}k`;
  return `${(value / 1e6).toFixed(value < 99.95e6 ? 2 : 0)}M`;
}

/** A number of bytes with its unit. @param {number} value */
export function bytes(value) {
  if (value < 1000) return `${value} B`;
  return value < 1e6 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** An amount in US dollars. @param {number} value */
export function money(value) {
  if (value > 0 && value < 0.0001) return "<$0.0001";
  return `$${value.toFixed(value < 1 ? 4 : 2)}`;
}

/** A share of 1 as a percentage. @param {number} value */
export const percent = (value) => `${(value * 100).toFixed(value > 0 && value < 0.0995 ? 1 : 0)} %`;

/** A full date and time in the user's time zone. @param {number} ms since the epoch */
export function moment(ms) {
  const format = { dateStyle: "medium", timeStyle: "long", hour12: false };
  return new Intl.DateTimeFormat(locale(), /** @type {Intl.DateTimeFormatOptions} */ (format)).format(ms);
}

/** A short time: the time for today, the date for earlier days. @param {number} ms @param {number} [now] @param {boolean} [isFine] with seconds */
export function clock(ms, now = Date.now(), isFine = true) {
  const when = new Date(ms);
  const today = new Date(now);
  const isToday = when.toDateString() === today.toDateString();
  const isThisYear = when.getFullYear() === today.getFullYear();
  /** @type {Intl.DateTimeFormatOptions} */
  const time = { hour: "2-digit", minute: "2-digit", second: isToday && isFine ? "2-digit" : undefined, hour12: false };
  /** @type {Intl.DateTimeFormatOptions} */
  const day = isToday ? {} : { month: "short", day: "numeric", ...(isThisYear ? {} : { year: "numeric" }) };
  return new Intl.DateTimeFormat(locale(), { ...day, ...time }).format(ms);
}

const UNITS = /** @type {const} */ ([["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000]]);

/** How long ago a time was, in words: `3 hours ago`. @param {number} ms @param {number} [now] */
export function ago(ms, now = Date.now()) {
  const [unit, length] = UNITS.find((one) => Math.abs(now - ms) >= one[1]) ?? ["second", 1000];
  return new Intl.RelativeTimeFormat(locale()).format(Math.round((ms - now) / Number(length)), unit);
}
