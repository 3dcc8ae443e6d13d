/**
 * Converts a query between one line of text and chips. The text is in the query language
 * (docs/query.md); a chip is one of the conditions that the outermost `and` joins.
 * Splitting the text and joining it again results in the same query.
 */
/**
 * Split a query at its outermost `and`, but not inside quotes and parentheses. A query with an
 * outermost `or` is one condition.
 * @param {string} text
 * @returns {string[]}
 */
export function conditions(text) {
  /** @type {string[]} */
  const found = [];
  let from = 0;
  for (const word of outerWords(text)) {
    if (word.text === "or") return [text.trim()].filter(Boolean);
    if (word.text !== "and") continue;
    found.push(text.slice(from, word.at));
    from = word.at + 3;
  }
  return [...found, text.slice(from)].map((one) => one.trim()).filter(Boolean);
}

/** Join conditions into a query. @param {string[]} parts */
export function joined(parts) {
  return parts.length < 2 ? (parts[0] ?? "") : parts.map(closed).join(" and ");
}

/** Add conditions to a query. @param {string | undefined} question @param {string[]} more */
export const narrowed = (question, ...more) => joined([...conditions(question ?? ""), ...more]);

/** Put a condition into parentheses if it contains an outermost `or`, so that it can be joined by `and`. @param {string} part */
function closed(part) {
  return outerWords(part).some((word) => word.text === "or") ? `(${part})` : part;
}

/**
 * A condition on one field, with its value in the syntax of the query language.
 * @param {string} field @param {string} operator @param {string} value @param {string} type of the field
 */
export function condition(field, operator, value, type) {
  if (type === "flag") return operator === "not" ? `not ${field}` : field;
  if (operator === "exists") return `${field} exists`;
  if (type === "words") return `${field}: ${quoted(value)}`;
  const isBare = type !== "text" && /^[-\w.]+$/.test(value);
  return `${field} ${operator} ${isBare ? value : quoted(value)}`;
}

/** The name of a field, with its key if it has keys. @param {string} name @param {string} key */
export function keyed(name, key) {
  if (!key) return name;
  return `${name}.${/^[A-Za-z_]\w*$/.test(key) ? key : quoted(key)}`;
}

/** The text of the first full-text search in a query; empty if it has none. @param {string | undefined} query */
export function wordsIn(query) {
  for (const one of conditions(query ?? "")) {
    const found = /^(?:(?:input|output|error)\s*:\s*)?(["'])((?:\\.|(?!\1)[^\\])*)\1$/.exec(one);
    if (found) return found[2].replace(/\\(.)/g, (_, sign) => (sign === "n" ? " " : sign));
  }
  return "";
}

/** @param {string} text */
export function quoted(text) {
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;
}

/** Words outside of quotes and parentheses, in lower case. @param {string} text */
function outerWords(text) {
  /** @type {{text: string, at: number}[]} */
  const words = [];
  let depth = 0;
  for (const found of text.matchAll(/"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|[()]|[\w.]+/g)) {
    if (found[0] === "(") depth += 1;
    else if (found[0] === ")") depth -= 1;
    else if (depth === 0 && /^\w/.test(found[0])) words.push({ text: found[0].toLowerCase(), at: found.index });
  }
  return words;
}
