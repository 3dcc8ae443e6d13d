/** Finds the previous model call of the same agent. */
import { COUNTED_ELSEWHERE, ERROR, NO_STEP } from "./outline.js";

/** @typedef {import("./outline.js").Outline} Outline */

/** Whether a row is a step of a kind and not framework plumbing. @param {Outline} o @param {number} i @param {string} kind */
const isStep = (o, i, kind) => o.kinds[o.kind[i]] === kind && (o.flags[i] & (NO_STEP | COUNTED_ELSEWHERE)) === 0;

/** The row of the agent that a row belongs to, or -1. @param {Outline} o @param {number} i */
function owner(o, i) {
  let up = o.parent[i];
  while (up >= 0 && !isStep(o, up, "agent")) up = o.parent[up];
  return up;
}

/** The row of the same agent's previous model call that did not fail, or -1. @param {Outline} o @param {number} i */
export function callBefore(o, i) {
  if (!isStep(o, i, "model")) return -1;
  const agent = owner(o, i);
  for (let at = i - 1; at > agent; at--) {
    if (isStep(o, at, "model") && !(o.flags[at] & ERROR) && owner(o, at) === agent) return at;
  }
  return -1;
}
