/**
 * What people type, in the language of questions (docs/query.md): `type:tool name:search tokens>10k
 * -is:annotated` → `has(type = tool and name = "search") and tokens > 10000 and not annotated`. What
 * is in the language already comes out as it went in.
 */
import { quoted } from "./filters.js";
import { near } from "./near.js";
import { terms } from "./terms.js";

/** @typedef {{name: string, of: string, type: string, choices: string[]}} Field a line of `GET /v1/fields` */
/** @typedef {import("./terms.js").Term} Term */
/** @typedef {import("./terms.js").Comparison} Comparison */

const ALIASES = /** @type {Record<string, string>} */ ({ errors: "failures", meta: "metadata" });
/** A trace id, as it is copied and pasted. */
const ID = /^[0-9a-f]{32}$/i;
const TIMES = /** @type {Record<string, number>} */ ({ k: 1e3, m: 1e6, g: 1e9 });

/**
 * Return the question that a text asks. What cannot be taken apart, and words that nobody knows, stay: the service says what is wrong
 * with them, and where.
 * @param {string} text @param {Field[]} fields of runs and of steps
 */
export function spelled(text, fields) {
  const found = terms(text);
  if (!found || isProse(found, fields)) return text.trim();
  return new Question(fields).of(found);
}

/** Whether there are only words, some of which could also be keywords: `search and rescue`. @param {Term[]} found @param {Field[]} fields */
function isProse(found, fields) {
  const flags = new Set(fields.filter((one) => one.type === "flag").map((one) => one.name));
  const isWord = found.map((one) => one.is === "bare" && !flags.has(one.text) && !ID.test(one.text));
  const isKeyword = found.map((one) => ["and", "or", "not"].includes(one.is));
  return isKeyword.includes(true) && isWord.includes(true) && found.every((_, at) => isWord[at] || isKeyword[at]);
}

/** Whether it is a word to be looked for, with those beside it. @param {Term} term */
const isWord = (term) => term.is === "bare" && !term.isDenied && !ID.test(term.text);

class Question {
  /** @param {Field[]} fields */
  constructor(fields) {
    this.fields = fields;
    this.runs = new Map(fields.filter((one) => one.of === "trajectories").map((one) => [one.name, one]));
    this.steps = new Map(fields.filter((one) => one.of === "steps").map((one) => [one.name, one]));
    /** @type {string[]} */
    this.parts = [];
    /** @type {{at: number, names: Set<string>, conditions: string[]} | null} the step that is told of */
    this.step = null;
  }

  /** @param {Term[]} found */
  of(found) {
    for (let at = 0; at < found.length; at += 1) {
      const term = found[at];
      if (term.is === "and") continue;
      if (term.is === "or") this.parts.push("or");
      else if (term.is === "not") this.add(this.ofTerm(found[(at += 1)] ?? term), true);
      else if (isWord(term)) at = this.addWords(found, at);
      else if (!this.takesStep(term)) this.add(this.ofTerm(term), term.isDenied);
      if (term.is === "or") this.step = null;
    }
    return this.parts.map((one, at) => (at && one !== "or" && this.parts[at - 1] !== "or" ? `and ${one}` : one)).join(" ");
  }

  /** @param {string} part @param {boolean} [isDenied] */
  add(part, isDenied) {
    this.parts.push(isDenied ? `not ${part}` : part);
  }

  /** What several terms say of one step stands in one `has`; a name that was said is said of another step. @param {Term} term */
  takesStep(term) {
    const told = term.is === "compare" && !term.isDenied ? this.ofStep(term) : null;
    if (term.is !== "compare" || !told) return false;
    if (!this.step || this.step.names.has(term.name)) {
      this.step = { at: this.parts.push("") - 1, names: new Set(), conditions: [] };
    }
    this.step.names.add(term.name);
    this.step.conditions.push(told);
    this.parts[this.step.at] = `has(${this.step.conditions.join(" and ")})`;
    return true;
  }

  /** A condition of a step; null for what runs are asked. @param {Comparison} term */
  ofStep(term) {
    const isCode = term.name === "error" && !term.key && /^\d+$/.test(term.value);
    if (isCode) return written({ ...term, name: "error_code" }, this.steps.get("error_code"));
    const name = ALIASES[term.name] ?? term.name;
    return this.runs.has(name) || !this.steps.has(name) ? null : written(term, this.steps.get(name));
  }

  /** @param {Term} term @returns {string} */
  ofTerm(term) {
    if (term.is === "inside") return `(${spelled(term.text, this.fields)})`;
    if (term.is === "state") return this.ofState(term.text);
    if (term.is === "bare" && ID.test(term.text)) return `trace_id = ${quoted(term.text.toLowerCase())}`;
    if (term.is !== "compare") return term.is === "bare" && !this.isName(term.text) ? quoted(term.text) : term.text;
    const step = this.ofStep(term);
    if (step) return `has(${step})`;
    const name = ALIASES[term.name] ?? term.name;
    return written({ ...term, name }, this.runs.get(name));
  }

  /** `is:annotated` is a flag, `is:live` what a choice has to be, `is:error` that something failed. @param {string} text */
  ofState(text) {
    if (text === "error") return "has_error";
    const choice = ["outcome", "status"].find((name) => this.runs.get(name)?.choices.includes(text));
    return choice && !this.runs.has(text) ? `${choice} = ${text}` : text;
  }

  /** Words beside each other are looked for together, flags beside each other are flags. @param {Term[]} found @param {number} from */
  addWords(found, from) {
    let to = from;
    while (found[to] && isWord(found[to])) to += 1;
    const words = found.slice(from, to).map((one) => (one.is === "compare" ? "" : one.text));
    const areFlags = words.every((one) => this.runs.get(one)?.type === "flag");
    if (areFlags || (words.length === 1 && this.isName(words[0]))) this.parts.push(...words);
    else this.parts.push(quoted(words.join(" ")));
    return to - 1;
  }

  /** Whether a word alone is the name of a field, or of one that was misspelled. @param {string} text */
  isName(text) {
    return /^\w+$/.test(text) && near(text, this.fields.map((one) => one.name), Math.floor(text.length / 5)).length > 0;
  }
}

/** @param {Comparison} term @param {Field} [field] none where nobody knows it */
function written({ name, key, operator, value }, field) {
  const sign = operator === ":" && field && field.type !== "words" ? "=" : operator;
  return `${name}${key}${sign === ":" ? "" : " "}${sign} ${valueOf(value, field?.type ?? "text")}`;
}

/** A value as the language has it: only texts and points of time stand in quotes. @param {string} value @param {string} type of the field */
function valueOf(value, type) {
  const isQuoted = /^["']/.test(value);
  if (type === "text" || type === "words") return isQuoted ? value : quoted(value);
  if (type === "time") return isQuoted || /^-?\d+[a-z]+$/i.test(value) ? value : quoted(value);
  const plain = /^(["']?)([-\w.]+)\1$/.exec(value)?.[2];
  const many = ["integer", "number"].includes(type) && plain ? /^(-?\d+(?:\.\d+)?)([kmg])$/i.exec(plain) : null;
  if (many) return String(Math.round(Number(many[1]) * TIMES[many[2].toLowerCase()] * 1e6) / 1e6);
  return plain ?? (isQuoted ? value : quoted(value));
}
