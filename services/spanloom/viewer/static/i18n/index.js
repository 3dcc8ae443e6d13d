/** Texts, numbers and times in the user's language. */
import { kept } from "../state/reader.js";
import { en } from "./en.js";
import { zh } from "./zh.js";

/** @typedef {keyof typeof en | keyof typeof import("./en/annotate.js").annotate | keyof typeof import("./en/asking.js").asking | keyof typeof import("./en/charts.js").charts | keyof typeof import("./en/conversation.js").conversation | keyof typeof import("./en/dataset.js").dataset | keyof typeof import("./en/diff.js").diff | keyof typeof import("./en/export.js").exporting | keyof typeof import("./en/formats.js").formats | keyof typeof import("./en/import.js").importing | keyof typeof import("./en/list.js").list | keyof typeof import("./en/judging.js").judging | keyof typeof import("./en/nowhere.js").nowhere | keyof typeof import("./en/overview.js").overview | keyof typeof import("./en/steps.js").steps | keyof typeof import("./en/views.js").views | keyof typeof import("./en/settings.js").settings | keyof typeof import("./en/conversations.js").conversations | keyof typeof import("./en/judging_runs.js").judgingRuns | keyof typeof import("./en/run_views.js").runViews | keyof typeof import("./en/start.js").start | keyof typeof import("./en/evaluation.js").evaluation | keyof typeof import("./en/datasets.js").datasets | keyof typeof import("./en/behaviour.js").behaviour | keyof typeof import("./en/experiments.js").experiments | keyof typeof import("./en/online_rules.js").onlineRules | keyof typeof import("./en/alerts.js").alerts} Key */
/** @typedef {Record<string, string | number>} Values */

const LANGUAGES = { en: /** @type {Record<string, string>} */ (en), zh: /** @type {Record<string, string>} */ (zh) };
const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES);

/** The language of the page: `en` or `zh`. */
export const language = kept("language", /** @type {keyof typeof LANGUAGES} */ (preferred ?? "en"));

/** Add the texts of a module that is loaded later. @param {Record<keyof typeof LANGUAGES, Record<string, string>>} words */
export function learn(words) {
  for (const name of /** @type {const} */ (["en", "zh"])) LANGUAGES[name] = { ...LANGUAGES[name], ...words[name] };
}

/**
 * Return a text. `{name}` is replaced by a value, `{n|run|runs}` by the form for the number `n`.
 * @param {Key} key @param {Values} [values]
 */
export function t(key, values = {}) {
  const text = LANGUAGES[language.value][key] ?? LANGUAGES.en[key] ?? key;
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    const value = values[name];
    if (one !== undefined) return plural(Number(value)) === "one" ? one : other;
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

/** @param {number} value */
const plural = (value) => new Intl.PluralRules(language.value).select(value);

/** The locale of numbers and times: the user's region, in the language of the page. */
export const locale = () => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value;

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/** A number with separators between thousands. @param {number} value */
export function number(value) {
  const where = locale();
  const made = formats.get(where) ?? new Intl.NumberFormat(where); // creating one takes as long as rendering a row of the tree
  formats.set(where, made);
  return made.format(value);
}
