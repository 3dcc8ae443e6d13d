/** Joins exported runs into one file, as core/exchange/files.py does for the command line. */

/** @typedef {{add: (body: string) => string, end: () => string}} Layout `add`: the text that a run adds to the file */

/** The layout for a single run, which is written unchanged. @type {() => Layout} */
const whole = () => ({ add: (body) => body, end: () => "" });

/** @type {() => Layout} */
const lines = () => ({ add: (body) => `${body}\n`, end: () => "" });

/** One line per item; its first member `index` numbers the items of the whole file. @type {() => Layout} */
function spread() {
  let items = 0;
  const numbered = (/** @type {string} */ one) => `${one.replace(/^\{"index":\d+/, () => `{"index":${items++}`)}\n`;
  return { add: (body) => itemsOf(body).map(numbered).join(""), end: () => "" };
}

/** @type {() => Layout} */
function array() {
  let items = 0;
  /** @param {string} body */
  const add = (body) => {
    const text = body.trim();
    const inside = text.startsWith("[") ? text.slice(1, -1).trim() : text;
    if (!inside) return "";
    items += 1;
    return `${items > 1 ? ",\n" : "[\n"}${inside}`;
  };
  return { add, end: () => (items ? "\n]\n" : "[]\n") };
}

const LAYOUTS = /** @type {Record<string, () => Layout>} */ ({ "": whole, lines, spread, array });

/** @param {string} name of the layout; empty for one run */
export const layoutOf = (name) => LAYOUTS[name]();

/** The items of a JSON array as text, because parsing would change large numbers. @param {string} text */
export function itemsOf(text) {
  /** @type {string[]} */
  const found = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfString(text, at);
    else if (sign === "[" || sign === "{") from = ++depth === 1 ? at + 1 : from;
    else if (sign === "]" || sign === "}") depth -= 1;
    if ((sign === "," && depth === 1) || (sign === "]" && depth === 0)) {
      const one = text.slice(from, at).trim();
      if (one) found.push(one);
      from = at + 1;
    }
  }
  return found;
}

/** The position of the quote that ends a string. @param {string} text @param {number} from its first quote */
function endOfString(text, from) {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}
