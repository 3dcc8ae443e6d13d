/** A scheme: which option is right, which is partly right, the letters of its choices, and their names. */
import { t } from "../i18n/index.js";

/** A scheme as returned by the service. @typedef {import("../records.js").SchemeItem} Scheme */

/** Letters that are shortcuts for something else while the form has the focus. */
const TAKEN = "jknru";

/** Whether a scheme's annotations belong to steps, and not to the whole run. @param {Scheme} scheme */
export const isStepwise = (scheme) => scheme.annotation_type === "trajectory_eval" || scheme.annotation_type === "process_reward";

/** Whether a score is computed from annotations made with a scheme. @param {Scheme} scheme */
export const hasScore = (scheme) => scheme.annotation_type === "trajectory_eval";

/** Whether a judgement means that the step has an error, as every option except the correct one does. @param {Scheme} scheme @param {string} correctness */
export const isWrong = (scheme, correctness) => correctness !== "" && correctness !== scheme.correct_option;

/** Whether the form has more fields for this judgement. @param {Scheme} scheme @param {string} correctness */
export const asksMore = (scheme, correctness) => isWrong(scheme, correctness) && (scheme.error_types.length > 0 || scheme.severities.length > 0);

/** The weight of a severity; 0 if the scheme does not have it. @param {Scheme} scheme @param {string} severity */
export const weightOf = (scheme, severity) => scheme.severities.find((one) => one.name === severity)?.weight ?? 0;

/** The subtypes of a type. @param {Scheme} scheme @param {string} type */
export const subtypesOf = (scheme, type) => scheme.error_types.find((one) => one.name === type)?.subtypes ?? [];

/**
 * The shape of the sign for an option: `right`, `half` (partly right, or neither), `wrong`; `none` if not judged.
 * @param {Scheme} scheme @param {string} correctness
 * @returns {"none" | "right" | "half" | "wrong"}
 */
export function shapeOf(scheme, correctness) {
  if (!correctness) return "none";
  if (correctness === scheme.correct_option) return "right";
  return /partial/i.test(correctness) || correctness === "0" ? "half" : "wrong";
}

/**
 * Assign a letter to each name: its first letter if that is free, otherwise another letter of the name, otherwise
 * any; empty if none is left.
 * @param {string[]} names @param {string[]} [given] letters that are already assigned
 * @returns {string[]} in their order
 */
export function lettersOf(names, given = []) {
  const free = new Set([..."abcdefghijklmnopqrstuvwxyz"].filter((letter) => !TAKEN.includes(letter) && !given.includes(letter)));
  const first = names.map((name) => (free.delete(name.slice(0, 1).toLowerCase()) ? name.slice(0, 1).toLowerCase() : ""));
  return names.map((name, k) => {
    const letter = first[k] || ([...name.toLowerCase(), ...free].find((one) => free.has(one)) ?? "");
    free.delete(letter);
    return letter;
  });
}

/** A name in readable form. @param {string} name */
export const worded = (name) => name.replaceAll("_", " ");

/** @type {Record<string, import("../i18n/index.js").Key>} */
const FIELDS = {
  correctness: "field.correctness", error_type: "field.type", error_subtype: "field.subtype", severity: "field.severity", rationale: "field.why",
  responsible_agent: "measure.responsible_agent", decisive_step: "measure.decisive_step", reason: "field.why", note: "extras.note",
};

/** The label of a field of a mark, or of a member of its value, in the form. @param {string} field */
export const fieldName = (field) => (FIELDS[field] ? t(FIELDS[field]) : worded(field));
