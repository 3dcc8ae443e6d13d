/** Runs selected in the list for a queue; kept while the tab is open. */
import { kept } from "../state/reader.js";

/** Their trace ids. */
export const picked = kept("picked", /** @type {string[]} */ ([]), sessionStorage);

export function unpick() {
  picked.value = [];
}
