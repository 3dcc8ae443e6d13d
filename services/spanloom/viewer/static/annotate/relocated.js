/** Finds marked places in a text that may have changed since: by their words, as the service does. */
import { partsOf } from "./parts.js";

/** @typedef {import("./pieces.js").Place} Place */

/**
 * Where a place is in a text; null if that is unknown. Where it was marked, if its words are there
 * still; else where they are, if they are there exactly once. Of several none is taken, the nearest
 * neither: what came before may have moved them all.
 * @param {{start: number, end: number, text: string}} place @param {string} text
 * @returns {{start: number, end: number} | null} in UTF-16 units
 */
export function relocate({ start, end, text: words }, text) {
  if (!words) return null;
  if (start >= 0 && end - start === words.length && text.startsWith(words, start)) return { start, end };
  const at = text.indexOf(words);
  return at >= 0 && text.indexOf(words, at + 1) < 0 ? { start: at, end: at + words.length } : null;
}

/** The same in the current texts of a step, part by part. @param {Place} place @param {{input: string, output: string}} step */
export function relocateIn(place, step) {
  const part = partsOf(step[place.field] ?? "").find((one) => one.part === (place.part ?? ""));
  return part ? relocate(place, part.text) : null;
}
