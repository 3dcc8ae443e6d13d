/** Merges the changes of two windows to one mark, unless both changed the same field to different values. */
import { applyEdit, isSame, TEXTS } from "./marks.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Edit} Edit */
/** @typedef {{field: string, mine: any, theirs: any}} Clash `field`: one of the texts, or `value.` and a member */

/** A field of a mark or an edit. @param {Edit} of @param {string} field @returns {any} */
export function fieldOf(of, field) {
  return field.startsWith("value.") ? of.value?.[field.slice(6)] : of[/** @type {"rationale"} */ (field)];
}

/** The names of the present fields. @param {Edit} edit */
export function fieldsOf(edit) {
  const members = Object.keys(edit.value ?? {}).map((key) => `value.${key}`);
  return [...TEXTS.filter((name) => edit[name] !== undefined), ...members];
}

/**
 * The fields of an edit that have been changed differently since its base.
 * @param {Mark} base what the editor saw @param {Mark} now @param {Edit} edit @param {import("./scheme.js").Scheme} scheme
 * @returns {Clash[]}
 */
export function clashes(base, now, edit, scheme) {
  const [wanted, joined] = [applyEdit(base, edit, scheme), applyEdit(now, edit, scheme)];
  return fieldsOf({ ...wanted }).flatMap((field) => {
    const [was, mine, theirs] = [base, wanted, now].map((mark) => fieldOf(mark, field));
    const isLost = !isSame(theirs, was) && !isSame(theirs, fieldOf(joined, field));
    return isLost && !isSame(mine, was) ? [{ field, mine, theirs }] : [];
  });
}

/** An edit without some of its fields. @param {Edit} edit @param {string[]} fields @returns {Edit} */
export function without(edit, fields) {
  const left = fieldsOf(edit).filter((field) => !fields.includes(field));
  /** @type {Edit} */
  const kept = {};
  for (const field of left) {
    if (field.startsWith("value.")) kept.value = { ...kept.value, [field.slice(6)]: fieldOf(edit, field) };
    else kept[/** @type {"rationale"} */ (field)] = fieldOf(edit, field);
  }
  return kept;
}
