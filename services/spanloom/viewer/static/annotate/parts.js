/** The texts of a step in readable parts: each content and call of messages, otherwise the whole text. */
import { parsed } from "../step/json.js";
import { areMessages } from "../step/messages.js";

/** @typedef {{part: string, role: string, text: string}} Part `part`: where in the messages, `0.content`; empty of the whole text */

/** @param {string} text @returns {Part[]} */
export function partsOf(text) {
  const messages = parsed(text);
  const found = areMessages(messages) ? messages.flatMap(partsOfMessage) : [];
  return found.length ? found : [{ part: "", role: "", text }];
}

/** @param {import("../step/messages.js").Message} message @param {number} at @returns {Part[]} */
function partsOfMessage({ role, content, tool_calls: calls }, at) {
  const said = typeof content === "string" && content ? [{ part: `${at}.content`, role, text: content }] : [];
  return [...said, ...(calls ?? []).flatMap((call, k) => (call?.function?.arguments ? [{ part: `${at}.tool_calls.${k}.function.arguments`, role: call.function.name ?? "", text: call.function.arguments }] : []))];
}
