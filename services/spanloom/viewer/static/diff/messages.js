/** Pairs the messages that differ between two steps, as text, by the same rule as core/diff/message_text.py. */

/** @typedef {Record<string, any>} Message */
/** @typedef {[string | null, string | null]} Pair */

const FIRST_ROLES = ["system", "developer"];
const SAID = new Set(["role", "content", "tool_calls"]);

/** Whether a value is a list of messages. @param {unknown} value @returns {value is Message[]} */
export const areMessages = (value) => Array.isArray(value) && value.every((one) => one !== null && typeof one === "object" && "role" in one);

/** Pairs of messages that differ between two values, prompts first; a value that is not a list of messages is one text. @param {unknown} a @param {unknown} b @returns {Pair[]} */
export function messagePairs(a, b) {
  const pairs = pairUp(messagesOf(a), messagesOf(b)).filter(([ours, theirs]) => ours !== theirs);
  const isFirst = (/** @type {Pair} */ pair) => FIRST_ROLES.some((role) => (pair[0] ?? pair[1] ?? "").startsWith(role));
  return [...pairs.filter(isFirst), ...pairs.filter((pair) => !isFirst(pair))];
}

/** A message as text: `user: Where is it dry?`, its calls as `→ search {"q":1}`. @param {Message} message */
export function wordsOf(message) {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.map((call) => `→ ${callText(call)}`) : [textOf(message.tool_calls)];
  const rest = Object.entries(message).filter(([key, value]) => !SAID.has(key) && value !== null).map(([key, value]) => `(${key}: ${textOf(value)})`);
  return `${textOf(message.role)}: ${[textOf(message.content), ...calls, ...rest].filter(Boolean).join(" ")}`;
}

/** @param {unknown} value @returns {string[]} */
function messagesOf(value) {
  if (areMessages(value)) return value.map(wordsOf);
  return value === null || value === undefined ? [] : [textOf(value)];
}

/** @param {any} call */
const callText = (call) => (call?.function ? `${textOf(call.function.name)} ${textOf(call.function.arguments)}` : textOf(call));

/** A value as text: the parts of a message's content one after the other, any other value as JSON. @param {unknown} value @returns {string} */
function textOf(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map((part) => (part?.type === "text" && Object.keys(part).length === 2 ? textOf(part.text) : textOf(part))).join(" ") : JSON.stringify(value);
}

/** Pair corresponding texts: equal texts in their longest common order, and the texts between these in pairs, one by one. @param {string[]} a @param {string[]} b @returns {Pair[]} */
function pairUp(a, b) {
  /** @type {Pair[]} */
  const pairs = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...common(a, b), [a.length, b.length]]) {
    while (i < x || j < y) pairs.push([i < x ? a[i++] : null, j < y ? b[j++] : null]);
    if (x < a.length && y < b.length) pairs.push([a[i++], b[j++]]);
  }
  return pairs;
}

/** Maximum number of cells in the table of `common`; of longer lists, only equal texts at the start are paired. */
const MOST = 250_000;

/** The pairs of positions of equal texts in the longest common subsequence of both lists. @param {string[]} a @param {string[]} b @returns {[number, number][]} */
function common(a, b) {
  /** @type {[number, number][]} */
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length && i < b.length && a[i] === b[i]) found.push([i, i++]);
  j = i;
  const wide = b.length + 1;
  if ((a.length + 1) * wide > MOST) return found;
  const best = new Uint32Array((a.length + 1) * wide);
  for (let x = a.length - 1; x >= i; x--) {
    for (let y = b.length - 1; y >= j; y--) best[x * wide + y] = a[x] === b[y] ? best[(x + 1) * wide + y + 1] + 1 : Math.max(best[(x + 1) * wide + y], best[x * wide + y + 1]);
  }
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) found.push([i++, j++]);
    else if (best[(i + 1) * wide + j] >= best[i * wide + j + 1]) i++;
    else j++;
  }
  return found;
}
