/** The mark of a step (an annotator's judgement of it), and how an edit changes it, as in `core/annotation/marks.py`. */
import { hasScore, isStepwise, isWrong, weightOf } from "./scheme.js";

/** @typedef {import("./scheme.js").Scheme} Scheme */
/** @typedef {{correctness: string, error_type: string, error_subtype: string, severity: string, rationale: string, value: Record<string, any>}} Mark */
/** @typedef {Partial<Mark>} Edit the fields that change; of `value`, only the members that change */

export const TEXTS = /** @type {const} */ (["correctness", "error_type", "error_subtype", "severity", "rationale"]);
const OF_ERRORS = { error_type: "", error_subtype: "", severity: "", rationale: "" };

/** @type {Mark} */
export const NOTHING = Object.freeze({ correctness: "", ...OF_ERRORS, value: Object.freeze({}) });

/** The mark in a row that the service returned. @param {any} row @returns {Mark} */
export function markOf({ correctness, error_type, error_subtype, severity, rationale, value }) {
  return { correctness, error_type, error_subtype, severity, rationale, value };
}

/**
 * Apply an edit to a mark. If the step is no longer wrong, the fields of its error are
 * removed; if the type changes, so is the subtype, unless the edit names one.
 * @param {Mark} mark @param {Edit} edit @param {Scheme} scheme @returns {Mark}
 */
export function applyEdit(mark, edit, scheme) {
  const isOtherType = (edit.error_type ?? mark.error_type) !== mark.error_type;
  const found = { ...mark, ...(isOtherType ? { error_subtype: "" } : {}), ...edit, value: { ...mark.value, ...edit.value } };
  const isRight = isStepwise(scheme) && scheme.correctness_options.length > 0 && !isWrong(scheme, found.correctness);
  return isRight ? { ...found, ...OF_ERRORS } : found;
}

/** Whether two values are equal as JSON. @param {unknown} a @param {unknown} b */
export const isSame = (a, b) => a === b || JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The edit that turns one mark into another; a missing member becomes null. @param {Mark} from @param {Mark} to @returns {Edit} */
export function difference(from, to) {
  /** @type {Edit} */
  const edit = {};
  for (const name of TEXTS) if (from[name] !== to[name]) edit[name] = to[name];
  if (edit.error_type !== undefined) edit.error_subtype = to.error_subtype; // otherwise it would be removed with its type
  const members = Object.keys({ ...from.value, ...to.value }).filter((key) => !isSame(from.value[key], to.value[key]));
  if (members.length) edit.value = Object.fromEntries(members.map((key) => [key, to.value[key] ?? null]));
  return edit;
}

/** The value of a field of a mark or an edit. @param {Edit} of @param {string} field the name of a text, or `value.` followed by a member's name @returns {any} */
export function fieldOf(of, field) {
  return field.startsWith("value.") ? of.value?.[field.slice(6)] : of[/** @type {"rationale"} */ (field)];
}

/** The names of the fields that a mark or an edit has. @param {Edit} edit */
export function fieldsOf(edit) {
  const members = Object.keys(edit.value ?? {}).map((key) => `value.${key}`);
  return [...TEXTS.filter((name) => edit[name] !== undefined), ...members];
}

/** The edit that sets some fields to their values in a mark. @param {Mark} mark @param {Iterable<string>} fields @returns {Edit} */
export function editTo(mark, fields) {
  /** @type {Edit} */
  const edit = {};
  for (const field of fields) {
    if (field.startsWith("value.")) edit.value = { ...edit.value, [field.slice(6)]: fieldOf(mark, field) ?? null };
    else edit[/** @type {"rationale"} */ (field)] = fieldOf(mark, field);
  }
  return edit;
}

/**
 * Join two consecutive edits: the fields of both, and the fields that changed as a consequence,
 * with their values in the final mark. Other fields are left out, so that other windows can change them.
 * @param {Edit} first @param {Edit} then @param {Mark} from the mark before the first @param {Mark} to the mark after both
 * @returns {Edit}
 */
export function joinEdits(first, then, from, to) {
  const fields = new Set([first, then, difference(from, to)].flatMap(fieldsOf));
  if (fields.has("error_type")) fields.add("error_subtype"); // otherwise it would be removed with its type
  return editTo(to, fields);
}

/** The edit that sets a whole mark. @param {Mark} mark */
export const whole = (mark) => editTo(mark, fieldsOf(mark));

/** Whether no field of a mark is set. @param {Mark} mark */
export const isEmpty = (mark) => TEXTS.every((name) => !mark[name]) && Object.values(mark.value).every((one) => one === null);

// The score computed from one annotator's marks, by the same rule as `core/annotation/marks.py`.

/** @typedef {{value: number, isComplete: boolean, unjudged: number, unweighed: number, judged: number}} Score */

/** Updates the score of many marks incrementally, whenever a mark is added or removed. */
export class Tally {
  /** @param {import("./scheme.js").Scheme} scheme @param {number} size the number of steps to judge */
  constructor(scheme, size) {
    this.scheme = scheme;
    this.size = size;
    this.judged = 0;
    /** The number of wrong steps by severity. @type {Map<string, number>} */
    this.wrong = new Map();
  }

  /** Count a mark (`by` 1), or remove it from the counts (`by` -1). @param {Mark} mark @param {boolean} isToJudge whether its step is to be judged @param {1 | -1} by */
  add(mark, isToJudge, by = 1) {
    if (!mark.correctness) return;
    if (isToJudge) this.judged += by;
    if (isWrong(this.scheme, mark.correctness)) this.wrong.set(mark.severity, (this.wrong.get(mark.severity) ?? 0) + by);
  }

  /**
   * The maximum score minus the weights of severities, never below 0; partially correct counts like incorrect.
   * The score is complete if every step is judged and, in a scheme with severities, every wrong step has one.
   * @returns {Score}
   */
  score() {
    const { scheme, judged } = this;
    const known = new Set(scheme.severities.map((one) => one.name));
    let [unweighed, off] = [0, 0];
    for (const [severity, count] of this.wrong) {
      if (known.size && !known.has(severity)) unweighed += count;
      if (hasScore(scheme)) off += count * weightOf(scheme, severity);
    }
    const unjudged = this.size - judged;
    return { value: Math.max(0, scheme.max_score - off), isComplete: unjudged + unweighed === 0, unjudged, unweighed, judged };
  }
}
