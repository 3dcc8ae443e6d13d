/** Extracts question and answer from the input and output of a run, by the rules of `core/messages/texts.py`. */
import { parsed } from "../step/json.js";

/** @typedef {{role: string, text: string}} Message */

/** The user's last message of an input, else its last message; a text without messages unchanged. @param {string} text */
export function questionIn(text) {
  const said = messagesIn(text);
  return (said.findLast((one) => one.role === "user") ?? said.at(-1))?.text ?? text;
}

/** The last message of an output; for a message without content its tool calls. @param {string} text */
export const answerIn = (text) => messagesIn(text).at(-1)?.text ?? text;

/** @param {string} text */
function messagesIn(text) {
  /** @type {Message[]} */
  const found = [];
  if (/^[{[]/.test(text)) collect(parsed(text), "", found);
  return found;
}

/** Every text in a key that messages use for theirs, with its role. @param {any} value @param {string} above @param {Message[]} found */
function collect(value, above, found) {
  if (Array.isArray(value)) for (const item of value) collect(item, above, found);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const role = String(value.role || above);
  const calls = isNothing(value.content) ? callsOf(value.tool_calls) : "";
  if (calls) return void found.push({ role, text: calls });
  for (const [key, item] of Object.entries(value)) {
    if ((key === "content" || key === "text") && typeof item === "string" && item.trim()) found.push({ role, text: item });
    else if (key !== "tool_calls") collect(item, role, found);
  }
}

/** @param {any} content */
const isNothing = (content) => !content || (typeof content === "object" && Object.keys(content).length === 0);

/** Tool calls as source code would write them: `weather({"city": "Oslo"})`. @param {any} calls */
function callsOf(calls) {
  const functions = Array.isArray(calls) ? calls.map((call) => call?.function) : [];
  return functions.filter((one) => one?.name).map((one) => `${one.name}(${one.arguments || ""})`).join(", ");
}
