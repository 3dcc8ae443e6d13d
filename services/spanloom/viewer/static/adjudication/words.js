/** Annotations of a step or of a run, in the words of the form. */
import { fieldName, worded } from "../annotate/scheme.js";
import { t } from "../i18n/index.js";
import { rowOf } from "../tree/outline.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** @typedef {import("../annotate/pieces.js").Place} Place */
/** @typedef {import("../annotate/pieces.js").Correction} Correction */

/** The type of an error and its severity. @param {{error_type: string, error_subtype: string, severity: string}} said */
export function errorOf({ error_type: type, error_subtype: subtype, severity }) {
  return [[type, subtype].filter(Boolean).map(worded).join(" › "), worded(severity)].filter(Boolean).join(", ");
}

/** A line for each member of a value: of the run, of corrected texts, of places in a text. @param {Record<string, any>} value @param {Outline} outline @returns {string[]} */
export function linesOf({ corrections, spans, ...members }, outline) {
  return [
    ...Object.entries(members).filter(([, said]) => said !== null).map(([name, said]) => `${fieldName(name)}: ${name === "decisive_step" ? stepName(outline, String(said)) : textOf(said)}`),
    ...(corrections ?? []).map((/** @type {Correction} */ one) => `${t("corrections.edited")}: ${one.edited}`),
    ...(spans ?? []).map((/** @type {Place} */ { text, type = "", subtype = "", severity = "" }) => [`“${text}”`, errorOf({ error_type: type, error_subtype: subtype, severity })].filter(Boolean).join(" ")),
  ];
}

/** The name of a step, or its id if it no longer exists. @param {Outline} outline @param {string} id */
function stepName(outline, id) {
  const row = rowOf(outline, id);
  return row < 0 ? id : outline.names[outline.name[row]];
}

/** @param {unknown} said */
const textOf = (said) => (typeof said === "string" ? said : JSON.stringify(said));
