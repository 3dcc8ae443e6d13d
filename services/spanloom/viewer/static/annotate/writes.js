/**
 * Writes that the service has not confirmed yet, in order. This module neither waits nor sends; it returns
 * what to send next, and processes the result. A write never changes its id, so that sending it again
 * is harmless; once sent it is never changed.
 */
import { applyEdit, editTo, fieldOf, fieldsOf, isSame, joinEdits, markOf, NOTHING, whole } from "./marks.js";

// Merges changes that two windows made to one mark, unless both changed the same field to different values.

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Edit} Edit */
/** @typedef {{field: string, mine: any, theirs: any}} Clash `field`: the name of a text, or `value.` followed by a member's name */

/**
 * The fields of an edit that another write has meanwhile set to different values.
 * @param {Mark} base the mark before the edit @param {Mark} now the stored mark
 * @param {Edit} edit @param {import("./scheme.js").Scheme} scheme
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

/** Remove fields from an edit. @param {Edit} edit @param {string[]} fields @returns {Edit} */
export const without = (edit, fields) => editTo(/** @type {Mark} */ (edit), fieldsOf(edit).filter((field) => !fields.includes(field)));

/** @typedef {{trace: string, project: string, scheme: string, annotator: string, version: number}} Context */
/**
 * `base`: the revision that the edit changes, null for any; `seen`: the mark in it. `from`, `to`: the displayed mark
 * before and after the edit. `group`: the group to undo, or the branch to mark.
 * @typedef {{id: string, kind: "edit" | "branch" | "undo", context: Context, step: string, base: number | null, seen: Mark, from: Mark, to: Mark,
 *   edit: import("./marks.js").Edit, group: string, wasSent: boolean, state: "waiting" | "sent" | "held" | "refused",
 *   clashes: Clash[], theirs: any, why: string}} Write
 */
/** @typedef {Pick<Write, "id" | "kind" | "context" | "step" | "edit" | "from" | "to"> & Partial<Write>} NewWrite */

const MOST = 1000;

export class Writes {
  constructor() {
    /** @type {Write[]} */
    this.list = [];
  }

  /** The number of unconfirmed writes. */
  get waiting() {
    return this.list.length;
  }

  /** Add a write; merge it into the step's previous write if that was never sent, or refused. Return the resulting write. @param {NewWrite} wanted @returns {Write} */
  add(wanted) {
    const last = this.list.findLast((one) => one.kind !== "edit" || one.step === wanted.step);
    if (wanted.kind === "edit" && last?.kind === "edit" && !last.wasSent && isAlike(last, wanted)) {
      Object.assign(last, { edit: joinEdits(last.edit, wanted.edit, last.from, wanted.to), to: wanted.to });
      if (last.state === "refused") this.again(last);
      return last;
    }
    const isAfterMany = this.list.some((one) => one.kind !== "edit");
    const made = { seen: NOTHING, group: "", wasSent: false, state: /** @type {const} */ ("waiting"), clashes: [], theirs: null, why: "", ...wanted };
    const write = /** @type {Write} */ ({ ...made, base: isAfterMany ? null : wanted.base === undefined ? 0 : wanted.base });
    this.list.push(write);
    return write;
  }

  /** Send a refused write again with the whole mark, because some of its fields contradicted the stored mark. @param {Write} write */
  again(write) {
    Object.assign(write, { state: "waiting", why: "", edit: write.kind === "edit" && write.to ? whole(write.to) : write.edit });
  }

  /** The writes of the next request: all of one kind, at most one per step, none for a step with a held write. @returns {Write[]} */
  next() {
    const first = this.list.find((one) => one.state === "waiting" && !this.isBlocked(one));
    if (!first || first.kind !== "edit") return first ? [first] : [];
    const steps = new Set();
    /** @type {Write[]} */
    const batch = [];
    for (const one of this.list.slice(this.list.indexOf(first))) {
      if (one.kind !== "edit" || batch.length === MOST) break;
      if (one.state !== "waiting" || !isAlike(one, first) || steps.has(one.step) || this.isBlocked(one)) continue;
      steps.add(one.step);
      batch.push(one);
    }
    return batch;
  }

  /** Whether an earlier write of the same step waits for the user's choice. @param {Write} write */
  isBlocked(write) {
    for (const one of this.list) {
      if (one === write) return false;
      if (one.state === "held" && one.step === write.step) return true;
    }
    return false;
  }

  /** Mark writes as sent. @param {Write[]} batch */
  sent(batch) {
    for (const one of batch) Object.assign(one, { state: "sent", wasSent: true });
  }

  /** Handle a missing response: the writes may be stored or not, so they are sent again unchanged. @param {Write[]} batch */
  failed(batch) {
    for (const one of batch) one.state = "waiting";
  }

  /** Mark writes as stored in these rows, and rebase waiting writes of the same steps on these rows. @param {Write[]} batch @param {any[]} rows @param {import("./scheme.js").Scheme} scheme */
  stored(batch, rows, scheme) {
    this.list = this.list.filter((one) => !batch.includes(one));
    for (const one of batch.filter((each) => each.kind === "edit")) {
      const row = rows.find((found) => found.write_id === one.id);
      const pending = this.list.filter((later) => later.kind === "edit" && later.step === one.step && isAlike(later, one));
      const expected = one.base === null ? markOf(row ?? one.seen) : applyEdit(one.seen, one.edit, scheme);
      if (row) for (const later of pending) rebase(later, expected, row, scheme);
    }
  }

  /**
   * Handle a 409: nothing was stored, because other writes changed the same steps. A write of other fields
   * is merged; other writes are held until the user chooses.
   * @param {Write[]} batch @param {any[]} current @param {import("./scheme.js").Scheme} scheme
   */
  clashed(batch, current, scheme) {
    for (const one of batch) {
      Object.assign(one, { state: "waiting", wasSent: false });
      const row = current.find((found) => found.step_id === one.step);
      if (row) rebase(one, one.seen, row, scheme);
    }
  }

  /** Handle a 422: writes with a reason are shown to the user, all other writes are sent again. @param {Write[]} batch @param {Map<number, string>} reasons keyed by the position in the batch */
  refused(batch, reasons) {
    batch.forEach((one, place) => {
      const why = reasons.get(place);
      Object.assign(one, { wasSent: false, state: why === undefined ? "waiting" : "refused", why: why ?? "" });
    });
  }

  /** Apply the user's choice between their own values and the stored values; return whether anything is left to send. @param {Write} write @param {boolean} isMine */
  settle(write, isMine) {
    const edit = isMine ? write.edit : without(write.edit, write.clashes.map((one) => one.field));
    const isLeft = Object.keys(edit).length > 0;
    Object.assign(write, { edit, state: "waiting", base: write.theirs.revision, seen: markOf(write.theirs), clashes: [], theirs: null });
    if (!isLeft) this.drop(write);
    return isLeft;
  }

  /** @param {Write} write */
  drop(write) {
    this.list = this.list.filter((one) => one !== write);
  }
}

/** Rebase a write on a stored row; if they conflict, hold the write until the user chooses. @param {Write} write @param {Mark} seen @param {any} row @param {import("./scheme.js").Scheme} scheme */
function rebase(write, seen, row, scheme) {
  const now = markOf(row);
  const found = write.base === null ? [] : clashes(seen, now, write.edit, scheme);
  if (found.length) Object.assign(write, { state: "held", clashes: found, theirs: row });
  else Object.assign(write, { base: row.revision, seen: now });
}

/** @param {{context: Context}} a @param {{context: Context}} b */
const isAlike = (a, b) => Object.entries(a.context).every(([name, value]) => value === b.context[/** @type {"trace"} */ (name)]);
