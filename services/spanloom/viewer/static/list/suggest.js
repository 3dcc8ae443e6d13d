/** Suggestions for the next token of a query: fields, operators, frequent values, or earlier queries. */
import { getJson } from "../api.js";
import { JOINING } from "../choices.js";
import { quoted } from "../state/filters.js";

/** @typedef {import("../records.js").FieldItem} Field */
/** A text that replaces the input from `from` to the caret; `hint`: its description. @typedef {{text: string, from: number, hint: string}} Suggestion */
/** The kind of items that a query selects, as named in `/v1/fields`. @typedef {"trajectories" | "steps"} Subject */

const MOST = 8;
const VALUES = 5;
/** Matches a field, an operator and the beginning of a value, before the caret. */
const AT_VALUE = /(?:^|[\s(])([A-Za-z_]\w*(?:\.\w+)?)\s*(!=|!~|>=|<=|=|~|>|<|:)\s*("[^"]*|[^\s"()]*)$/;
/** Matches a field, a space and the beginning of an operator, before the caret. */
const AT_SIGN = /(?:^|[\s(])([A-Za-z_]\w*)\s+([!<>=~+*/-]?)$/;
const AT_NAME = /(?:^|[\s(])([A-Za-z_]\w*)?$/;
const WORDS = ["and", "or", "not"];
/** The types that support arithmetic operators. */
const NUMBERS = new Set(["integer", "number", "duration"]);

/**
 * @param {string} text the input before the caret @param {Field[]} fields @param {Subject} of @param {string[]} recent @param {AbortSignal} until
 * @returns {Promise<Suggestion[]>}
 */
export async function suggest(text, fields, of, recent, until) {
  if (!text.trim()) return recent.map((one) => ({ text: one, from: 0, hint: "" })).slice(0, MOST);
  const value = AT_VALUE.exec(text);
  const field = value && fields.find((one) => one.name === value[1].split(".")[0]);
  if (value && field) return valuesFor(field, value[3], text.length - value[3].length, of, until);
  const sign = AT_SIGN.exec(text);
  const signed = sign && fields.find((one) => one.name === sign[1]);
  if (sign && signed) return signsFor(signed, sign[2], text.length - sign[2].length);
  const name = AT_NAME.exec(text)?.[1] ?? "";
  return name ? namesFor(name, fields, text.length - name.length) : [];
}

/** @param {string} begun @param {Field[]} fields @param {number} from @returns {Suggestion[]} */
function namesFor(begun, fields, from) {
  const low = begun.toLowerCase();
  const found = fields.filter(({ name }) => name.includes(low)).toSorted((a, b) => Number(b.name.startsWith(low)) - Number(a.name.startsWith(low)));
  return found.filter(({ name }) => name !== begun).slice(0, MOST).map(({ name, description, type }) => ({ text: type === "flag" ? name : `${name} `, from, hint: description }));
}

/** @param {Field} field @param {string} begun @param {number} from @returns {Suggestion[]} */
function signsFor({ operators, type, has_keys: hasKeys }, begun, from) {
  const joining = NUMBERS.has(type) && !hasKeys ? JOINING : [];
  const signs = [...(type === "flag" ? WORDS : operators), ...joining].filter((one) => one.startsWith(begun));
  return signs.map((one) => ({ text: one === "in" ? "in (" : `${one} `, from, hint: "" }));
}

/** @param {Field} field @param {string} begun @param {number} from @param {Subject} of @param {AbortSignal} until @returns {Promise<Suggestion[]>} */
async function valuesFor(field, begun, from, of, until) {
  const low = begun.replace(/^"/, "").toLowerCase();
  const values = await known(field, low ? 50 : VALUES, of, until);
  const fitting = values.filter(({ value }) => value.toLowerCase().includes(low)).slice(0, VALUES);
  return fitting.map(({ value, count }) => ({ text: `${field.type === "text" ? quoted(value) : value} `, from, hint: count === null ? "" : `× ${count}` }));
}

/** Values of a field: its fixed values, or values in the store, the most frequent first. @param {Field} field @param {number} limit @param {Subject} of @param {AbortSignal} until @returns {Promise<{value: string, count: number | null}[]>} */
async function known({ name, type, choices, example, has_keys: hasKeys }, limit, of, until) {
  if (choices.length) return choices.map((value) => ({ value, count: null }));
  if (type === "text" && !hasKeys) {
    const { items } = await getJson(`/v1/fields/${name}/values`, { of, limit }, until);
    return items.map((/** @type {{value: unknown, count: number}} */ one) => ({ value: String(one.value), count: one.count }));
  }
  const sample = /[=<>~]\s*(.+)$/.exec(example)?.[1] ?? "";
  return sample && type !== "words" ? [{ value: sample, count: null }] : [];
}
