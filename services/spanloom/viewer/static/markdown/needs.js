/**
 * What markdown-it takes from five packages, as far as this page uses it. They would be half of
 * the parser: most of it names of characters, and tables of punctuation, which the browser has.
 */
import { named } from "./entities.js";

/** Punctuation and symbols, by which emphasis is told from stars in a text. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;

/** What a reference such as `&copy;` stands for, or itself. @param {string} reference with `&` and `;` */
export function decodeHTMLStrict(reference) {
  return named.get(reference.slice(1, -1)) ?? reference;
}

/** Finds addresses in texts: never asked, `linkify` is off. */
export class LinkifyIt {}

/** Of host names, for addresses that markdown-it itself would rewrite: `normalizeLink` is ours. */
export default {};
