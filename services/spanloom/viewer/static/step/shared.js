/** What a model call was told that the call before it knew already: compared, message by message. */
import { parsed } from "./json.js";
import { areMessages } from "./messages.js";

/** @typedef {import("./messages.js").Message} Message */

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
