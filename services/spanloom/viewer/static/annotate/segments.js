/** A text cut where places begin and end, and around each character that is shown by its number. */
import { visible } from "../ui/html.js";

/**
 * @param {string} text @param {{start: number, end: number, isMine: boolean}[]} places they may overlap
 * @returns {{start: number, end: number, mine: number, theirs: number}[]} all of the text, in its order
 */
export function cut(text, places) {
  const edges = new Set([0, text.length]);
  for (const { start, end } of places) for (const one of [start, end]) if (one > 0 && one < text.length) edges.add(one);
  if (visible(text) !== text) {
    let at = 0;
    for (const one of text) {
      if (visible(one) !== one) edges.add(at).add(at + one.length);
      at += one.length;
    }
  }
  const sorted = [...edges].sort((a, b) => a - b);
  return sorted.slice(1).map((end, k) => {
    const start = sorted[k];
    const over = places.filter((one) => one.start < end && one.end > start);
    const mine = over.filter((one) => one.isMine).length;
    return { start, end, mine, theirs: over.length - mine };
  });
}
