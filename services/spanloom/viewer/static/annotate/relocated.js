/** Finds marked places by their words in a text that may have changed, as the service does. */
import { partsOf } from "./parts.js";

/** @typedef {import("./pieces.js").Place} Place */

/**
 * The position of a place in a text; null if unknown. It is the marked position if the words are
 * still there; else the position of the words if they occur exactly once. If they occur several times,
 * none is chosen, not even the nearest: text inserted before may have moved them all.
 * @param {{start: number, end: number, text: string}} place @param {string} text
 * @returns {{start: number, end: number} | null} in UTF-16 units
 */
export function relocate({ start, end, text: words }, text) {
  if (!words) return null;
  if (start >= 0 && end - start === words.length && text.startsWith(words, start)) return { start, end };
  const at = text.indexOf(words);
  return at >= 0 && text.indexOf(words, at + 1) < 0 ? { start: at, end: at + words.length } : null;
}

/** The position in the current texts of a step, by part. @param {Place} place @param {{input: string, output: string}} step */
export function relocateIn(place, step) {
  const part = partsOf(step[place.field] ?? "").find((one) => one.part === (place.part ?? ""));
  return part ? relocate(place, part.text) : null;
}
