/**
 * What is typed into the box of the list, taken apart: `type:tool -is:annotated tokens>10k "rate
 * limit"` → four terms. Blind to which fields there are; `shorthand.js` says what each term asks.
 */

/**
 * A term. `verbatim` is a text or a shape as the language has it, `inside` a text in parentheses; a comparison has a field, an
 * operator and a value.
 * @typedef {{is: "and" | "or" | "not" | "verbatim" | "inside" | "bare" | "state", text: string}} Piece
 * @typedef {{is: "compare", name: string, key: string, operator: string, value: string}} Comparison `key` begins with its dot
 * @typedef {(Piece | Comparison) & {isDenied?: boolean}} Term
 */

const STRING = String.raw`"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'`;
const NAME = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const KEY = String.raw`(?:\.(?:${NAME}|${STRING}))*`;
const SIGN = "<=|>=|!=|!~|[=<>~:]";
const word = new RegExp(String.raw`(and|or|not)(?=[\s()"'-]|$)`, "yiu");
const string = new RegExp(STRING, "yu");
const shape = /(?:has|count)\s*\(/yiu;
const state = new RegExp(`is:(${NAME})`, "yu");
const score = new RegExp(String.raw`score:\s*(${NAME}|${STRING})(?=\s*(?:${SIGN}|exists\b|in\b|not\b))`, "yu");
const field = new RegExp(`(${NAME})(${KEY})`, "yu");
const isThere = /\s+exists\b/yiu;
const among = /\s+(?:not\s+)?in\s*\(/yiu;
const operator = new RegExp(String.raw`\s*:?(${SIGN})\s*`, "yu");
const behindCount = new RegExp(String.raw`\s*(?:${SIGN})\s*\d+`, "yu");
const value = new RegExp(String.raw`${STRING}|[^\s()"'][^\s()]*`, "yu");
const bare = /[^\s()]+/yu;

/**
 * Take a text apart; null where a quote or a parenthesis has no end, or a value is missing.
 * @param {string} text
 * @returns {Term[] | null}
 */
export function terms(text) {
  /** @type {Term[]} */
  const found = [];
  const reader = new Reader(text);
  while (!reader.isAtEnd()) {
    const isDenied = reader.takesMinus();
    const term = reader.term();
    if (!term || (isDenied && ["and", "or", "not"].includes(term.is))) return null;
    found.push(isDenied ? { ...term, isDenied } : term);
  }
  return found;
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  isAtEnd() {
    this.takes(/\s*/yu);
    return this.at >= this.text.length;
  }

  /** Whether a minus stands here that denies what follows at once: `-is:annotated`, and not `- 3`. */
  takesMinus() {
    return this.takes(/-(?=[^\s-])/yu) !== null;
  }

  /** @param {RegExp} pattern a sticky one */
  takes(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at += found[0].length;
    return found;
  }

  /** @returns {Term | null} */
  term() {
    const from = this.at;
    const keyword = this.takes(word)?.[1].toLowerCase();
    if (keyword) return { is: /** @type {"and" | "or" | "not"} */ (keyword), text: keyword };
    if (this.takes(string)) return this.piece("verbatim", from);
    if (this.takes(shape)) return this.closes() && (this.takes(behindCount), this.piece("verbatim", from));
    if (this.takes(/\(/yu)) return this.closes() && { is: "inside", text: this.text.slice(from + 1, this.at - 1) };
    const flag = this.takes(state);
    if (flag) return { is: "state", text: flag[1] };
    const compared = this.comparison(from);
    if (compared !== undefined || this.text[from] === '"') return compared ?? null;
    return this.takes(bare) && this.piece("bare", from);
  }

  /** What asks a field something; null where its value is missing, nothing where there is no field. @param {number} from @returns {Term | null | undefined} */
  comparison(from) {
    const scored = this.takes(score);
    const named = scored ? ["", "score", `.${scored[1]}`] : this.takes(field);
    if (!named) return undefined;
    const start = this.text.slice(from, this.at);
    if (this.takes(isThere)) return { is: "verbatim", text: `${named[1]}${named[2]} exists` };
    if (this.takes(among)) return this.closes() && { is: "verbatim", text: named[1] + named[2] + this.text.slice(from + start.length, this.at) };
    const sign = this.takes(operator)?.[1];
    if (!sign) return (this.at = from, undefined);
    const given = this.takes(value)?.[0];
    return given ? { is: "compare", name: named[1], key: named[2], operator: sign, value: given } : null;
  }

  /** Go behind the parenthesis that closes the one before; false where there is none. */
  closes() {
    for (let depth = 1; depth;) {
      const found = this.takes(new RegExp(String.raw`[^()"']*(${STRING}|[()])`, "yu"));
      if (!found) return (this.at = this.text.length, null);
      depth += found[1] === "(" ? 1 : found[1] === ")" ? -1 : 0;
    }
    return true;
  }

  /** @param {Piece["is"]} is @param {number} from @returns {Term} */
  piece(is, from) {
    return { is, text: this.text.slice(from, this.at) };
  }
}
