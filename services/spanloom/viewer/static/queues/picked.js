/** Runs that were selected in the list, on their way into a queue; for as long as the tab lives. */
import { kept } from "../state/kept.js";

/** Their trace ids. */
export const picked = kept("picked", /** @type {string[]} */ ([]), sessionStorage);

export function unpick() {
  picked.value = [];
}
