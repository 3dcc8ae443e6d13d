/** Finds the messages that a model call shares with the previous call. */
import { parsed } from "./json.js";
import { areMessages } from "./messages.js";

/** @typedef {import("./messages.js").Message} Message */

/** All messages at the end of a call: its input and its output. @param {{input: string, output: string}} step @returns {Message[]} */
export function earlier({ input, output }) {
  return [input, output].map(parsed).flatMap((value) => (areMessages(value) ? value : []));
}

/** The fields that identify a message: a call's output also has a finish reason, the next input does not. @param {Message} message */
function essence({ role, content, tool_calls: calls, tool_call_id: id }) {
  const made = (calls ?? []).map((call) => [call?.id, call?.function?.name, call?.function?.arguments]);
  return JSON.stringify([role, content ?? "", made, id ?? ""]);
}

/** The number of leading messages that the previous call had; the last message always counts as new. @param {Message[]} messages @param {Message[]} before */
export function sharedWith(messages, before) {
  const most = Math.min(messages.length - 1, before.length);
  let same = 0;
  while (same < most && essence(messages[same]) === essence(before[same])) same++;
  return same;
}
