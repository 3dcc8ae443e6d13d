/** What a model call was told that the call before it knew already: compared, message by message. */
import { ERROR, NO_STEP, COUNTED_ELSEWHERE } from "../tree/outline.js";
import { parsed } from "./json.js";
import { areMessages } from "./messages.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("./messages.js").Message} Message */

/** Whether a row is a step of a kind, and not the plumbing of one. @param {Outline} o @param {number} i @param {string} kind */
const isStep = (o, i, kind) => o.kinds[o.kind[i]] === kind && (o.flags[i] & (NO_STEP | COUNTED_ELSEWHERE)) === 0;

/** The row of the agent that a row belongs to, or -1. @param {Outline} o @param {number} i */
function owner(o, i) {
  let up = o.parent[i];
  while (up >= 0 && !isStep(o, up, "agent")) up = o.parent[up];
  return up;
}

/** The row of the same agent's model call before this one that did not fail, or -1. @param {Outline} o @param {number} i */
export function callBefore(o, i) {
  if (!isStep(o, i, "model")) return -1;
  const agent = owner(o, i);
  for (let at = i - 1; at > agent; at--) {
    if (isStep(o, at, "model") && !(o.flags[at] & ERROR) && owner(o, at) === agent) return at;
  }
  return -1;
}

/** All that was said by the end of a call: what it was given and what it answered. @param {{input: string, output: string}} step @returns {Message[]} */
export function earlier({ input, output }) {
  return [input, output].map(parsed).flatMap((value) => (areMessages(value) ? value : []));
}

/** Of a message, what makes it the same message: a call tells it with its end, the next without. @param {Message} message */
function essence({ role, content, tool_calls: calls, tool_call_id: id }) {
  const made = (calls ?? []).map((call) => [call?.id, call?.function?.name, call?.function?.arguments]);
  return JSON.stringify([role, content ?? "", made, id ?? ""]);
}

/** How many messages at the front were all said before; the last one is what this call is about. @param {Message[]} messages @param {Message[]} before */
export function sharedWith(messages, before) {
  const most = Math.min(messages.length - 1, before.length);
  let same = 0;
  while (same < most && essence(messages[same]) === essence(before[same])) same++;
  return same;
}
