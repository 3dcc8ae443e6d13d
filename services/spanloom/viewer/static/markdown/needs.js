/**
 * The parts of five packages that markdown-it needs on this page. The packages would be half of the
 * parser: mostly entity names, and tables of punctuation, which the browser has.
 */
import { named } from "./entities.js";

/** Punctuation and symbols, by which emphasis is distinguished from literal asterisks. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;

/** The character of a reference such as `&copy;`, or the reference itself. @param {string} reference with `&` and `;` */
export function decodeHTMLStrict(reference) {
  return named.get(reference.slice(1, -1)) ?? reference;
}

/** Finds URLs in texts; never called, as `linkify` is off. */
export class LinkifyIt {}

/** Converts host names of URLs; not used, as `normalizeLink` is replaced by ours. */
export default {};
