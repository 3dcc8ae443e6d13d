/** Sends items into the draft of a dataset, in as many requests as their size needs. */
import { sendJson } from "../api.js";

/** `at`: position among the given items. @typedef {{at: number, item_key: string, reason: string}} Refused */
/** @typedef {{stored: number, unchanged: number, rejected: number, refused: Refused[]}} Taken */

/** Maximum numbers of items and characters in a request; the limits of the service are 10,000 items and 32 MiB. */
const AT_ONCE = 5_000;
const MOST_TEXT = 8_000_000;

/** Split a list into parts that are small enough for a request. @template {{size: number}} T @param {T[]} all @returns {T[][]} */
export function batches(all) {
  /** @type {T[][]} */
  const made = [];
  let size = 0;
  for (const one of all) {
    const last = made.at(-1);
    const isFull = !last || last.length >= AT_ONCE || size + one.size > MOST_TEXT;
    size = isFull ? one.size : size + one.size;
    if (isFull) made.push([one]);
    else last.push(one);
  }
  return made;
}

/**
 * @param {string} path of the dataset @param {{item: unknown, size: number}[]} given @param {string | undefined} project
 * @returns {Promise<Taken>}
 */
export async function sendItems(path, given, project) {
  /** @type {Taken} */
  const sum = { stored: 0, unchanged: 0, rejected: 0, refused: [] };
  let before = 0;
  for (const batch of batches(given)) {
    const answer = await sendJson("POST", `${path}/items`, { items: batch.map((one) => one.item) }, { project });
    for (const name of /** @type {const} */ (["stored", "unchanged", "rejected"])) sum[name] += answer[name];
    for (const { item, item_key: key, reason } of answer.refused) sum.refused.push({ at: before + item, item_key: key, reason });
    before += batch.length;
  }
  return sum;
}
