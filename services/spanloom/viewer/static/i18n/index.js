/** Words in the reader's language, and numbers and times as it writes them. */
import { kept } from "../state/kept.js";
import { en } from "./en.js";
import { runEn } from "./run.en.js";
import { runZh } from "./run.zh.js";
import { zh } from "./zh.js";

const ENGLISH = { ...en, ...runEn };

/** @typedef {keyof typeof ENGLISH} Key */
/** @typedef {Record<string, string | number>} Values */

/** @type {{en: Record<Key, string>, zh: Record<Key, string>}} */
const LANGUAGES = { en: ENGLISH, zh: { ...zh, ...runZh } };
const preferred = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in LANGUAGES);

/** The language of the page: `en` or `zh`. */
export const language = kept("language", /** @type {keyof typeof LANGUAGES} */ (preferred ?? "en"));

/**
 * Return a text. `{name}` is a value, `{n|run|runs}` one of the words by the plural rules of the value.
 * @param {Key} key @param {Values} [values]
 */
export function t(key, values = {}) {
  const text = LANGUAGES[language.value][key] ?? ENGLISH[key];
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, other) => {
    const value = values[name];
    if (one !== undefined) return plural(Number(value)) === "one" ? one : other;
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

/** @param {number} value */
const plural = (value) => new Intl.PluralRules(language.value).select(value);

/** How numbers and times are written: as the reader's own region does, in the language of the page. */
export const locale = () => navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value;

/** A number with its thousands apart. @param {number} value */
export const number = (value) => new Intl.NumberFormat(locale()).format(value);
