/**
 * The annotations of one run by one annotator with one scheme, and other people's annotations. Changes are shown at
 * once, before the service has stored them; the response of the service then replaces them.
 */
import { COUNTING } from "../choices.js";
import { read, write } from "../state/reader.js";
import { signal } from "../vendor/signals.js";
import { applyEdit, isEmpty, markOf, NOTHING, Tally } from "./marks.js";
import { Steps } from "./steps.js";

// Actions that can be undone and redone; none is lost when writes are merged.

/**
 * One action: the mark of each step before and after it.
 * @typedef {{changes: {at: string, before: import("./marks.js").Mark, after: import("./marks.js").Mark}[], group?: string}} Deed
 *   `group`: the id by which the service undoes the annotation of a whole branch
 */

const MOST = 500;
/** The number of actions that survive a reload of the window, and the maximum number of steps in such an action. */
const KEPT = 50;
const LARGE = 1000;
const NAME = "annotate.history";

export class History {
  constructor() {
    /** @type {Deed[]} */
    this.done = [];
    /** @type {Deed[]} */
    this.undone = [];
  }

  /**
   * Record an action. Continuous typing in a field is one action.
   * @param {Deed} deed @param {boolean} [isTyping]
   */
  add(deed, isTyping = false) {
    const [last, change] = [this.done.at(-1), deed.changes[0]];
    this.undone = [];
    if (isTyping && this.isTyping && last?.changes[0].at === change.at) {
      last.changes[0].after = change.after;
      return;
    }
    this.isTyping = isTyping;
    this.done.push(deed);
    if (this.done.length > MOST) this.done.shift();
  }

  /** Remove and return the last action, for the caller to undo; undefined if there is none. */
  undo() {
    this.isTyping = false;
    return move(this.done, this.undone);
  }

  /** Remove and return the last undone action. */
  redo() {
    return move(this.undone, this.done);
  }
}

/**
 * The history of this window from before a reload; otherwise a new history.
 * @param {object} context of the history: run, scheme, annotator, version
 */
export function recall(context) {
  const kept = read(NAME, { of: "", done: [], undone: [] }, sessionStorage);
  const made = new History();
  if (kept.of === JSON.stringify(context)) [made.done, made.undone] = [kept.done, kept.undone];
  return made;
}

/** Store the newest actions in the window, up to the first that is too large. @param {object} context @param {History} history */
export function remember(context, { done, undone }) {
  const newest = (/** @type {Deed[]} */ deeds) => deeds.slice(Math.max(deeds.length - KEPT, deeds.findLastIndex((one) => one.changes.length > LARGE) + 1));
  if (done.length || undone.length) write(NAME, { of: JSON.stringify(context), done: newest(done), undone: newest(undone) }, sessionStorage);
}

/** @param {Deed[]} from @param {Deed[]} to */
function move(from, to) {
  const deed = from.pop();
  if (deed) to.push(deed);
  return deed;
}

// The session.

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {"valid" | "changed" | "moved" | "orphaned" | "whole"} State */
/** @typedef {{step: string, at: string, row: any, mark: Mark, state: State, group: string}} Slot
 * `at`: the step at which it is shown now, empty for the whole run; `group`: the write of many steps that set the
 * mark */

/** The `Slot` of a step that has no annotation yet, or of the whole run if `at` is empty. @param {string} at @returns {Slot} */
export const empty = (at) => ({ step: at, at, row: null, mark: NOTHING, state: at ? "valid" : "whole", group: "" });

const COUNTED = new Set(/** @type {readonly string[]} */ (COUNTING));

export class Session {
  /**
   * @param {import("./scheme.js").Scheme} scheme @param {import("../tree/view.js").View} view
   * @param {import("./writes.js").Context} context @param {import("./sender.js").Sender} sender
   */
  constructor(scheme, view, context, sender) {
    this.scheme = scheme;
    this.view = view;
    this.context = context;
    this.sender = sender;
    this.steps = new Steps(view);
    this.history = recall(context);
    /** Incremented with every change. */
    this.turn = signal(0);
    /** Whether the stored annotations have been loaded. */
    this.isLoaded = false;
    /** Annotations whose step no longer exists. @type {Slot[]} */
    this.orphans = [];
    /** Other people's annotations, by the step at which they are shown. @type {Map<string, any[]>} */
    this.others = new Map();
    /** @type {string[]} */
    this.people = [];
    this.withheld = 0;
    /** Scores of steps by evaluators. @type {Map<string, any[]>} */
    this.scores = new Map();
    /** This annotator's annotations, by the step at which they are shown. @type {Map<string, Slot>} */
    this.own = new Map();
    this.tally = new Tally(scheme, this.steps.size);
    /** The marks that unconfirmed writes of many steps will set, by write and step. @type {Map<string, Map<string, Mark>>} */
    this.expected = new Map();
  }

  /** @param {string} at */
  mark(at) {
    return this.own.get(at)?.mark ?? NOTHING;
  }

  /** Load the annotations that the service has stored; unconfirmed writes are applied to them again. @param {any} data the response */
  load(data) {
    const isMine = (/** @type {any} */ row) => row.annotator === this.context.annotator;
    const others = data.items.filter((/** @type {any} */ row) => !isMine(row));
    this.own = new Map();
    this.tally = new Tally(this.scheme, this.steps.size);
    this.orphans = [];
    this.withheld = data.withheld;
    this.others = Map.groupBy(others, (row) => this.placeOf(row) ?? row.step_id);
    this.people = [...new Set(others.map((/** @type {any} */ row) => row.annotator))].sort();
    for (const row of data.items.filter(isMine)) this.show(row, markOf(row), row.group);
    const pending = this.writes();
    for (const one of pending) this.expect(one);
    for (const id of this.expected.keys()) if (!pending.some((one) => one.id === id)) this.expected.delete(id);
    this.isLoaded = true;
    this.changed();
  }

  /** Show a stored row of this annotator, with unconfirmed writes applied to it. @param {any} row */
  take(row) {
    const at = this.placeOf(row);
    const known = at === undefined ? null : this.own.get(at);
    if (known?.step === row.step_id && known?.row?.revision > row.revision) return; // the response to a repeated write
    let [mark, group] = [markOf(row), row.group];
    for (const one of this.writes()) {
      const many = this.expected.get(one.id)?.get(at ?? "");
      if (many) [mark, group] = [many, one.id];
      else if (one.kind === "edit" && one.step === row.step_id) [mark, group] = [applyEdit(mark, one.edit, this.scheme), ""];
    }
    this.show(row, mark, group);
  }

  /** @param {any} row @param {Mark} mark @param {string} group */
  show(row, mark, group) {
    if (row.is_deleted) return;
    const at = this.placeOf(row);
    const isOfThis = row.version === this.view.o.version && row.state !== "whole";
    const slot = { step: row.step_id, at: at ?? "", row, mark, state: isOfThis ? "valid" : row.state, group };
    if (at === undefined) {
      if (!isEmpty(mark)) this.orphans.push({ ...slot, state: "orphaned" });
    } else if (row.step_id === at || (this.own.get(at)?.step ?? row.step_id) === row.step_id) this.put(slot); // a mark of the step itself has precedence over a mark that moved there
  }

  /** The step at which a row is shown; undefined if its step does not exist. @param {any} row @returns {string | undefined} */
  placeOf(row) {
    if (row.step_id === "" || row.version === this.view.o.version) return row.step_id;
    return [row.stands_at, row.step_id].find((id) => id && this.steps.row(id) >= 0);
  }

  /** Show the result of an unconfirmed write. @param {import("./writes.js").Write} one */
  expect(one) {
    if (one.kind === "branch") this.fill(one.group, one.edit, one.id);
    else if (one.kind === "edit") {
      const slot = [this.own.get(one.step), ...this.own.values()].find((known) => known?.step === one.step) ?? empty(one.step);
      this.put({ ...slot, mark: applyEdit(slot.mark, one.edit, this.scheme), group: "" });
    } else for (const [at, mark] of this.expected.get(one.id) ?? []) this.put({ ...(this.own.get(at) ?? empty(at)), mark, group: one.id });
  }

  /** Annotate all steps below a step that have no annotation yet. @param {string} top empty for all steps @param {import("./marks.js").Edit} edit @param {string} group the id of the write @returns {Deed["changes"]} */
  fill(top, edit, group) {
    const { steps, view } = this;
    const from = Math.max(0, top ? steps.row(top) : 0);
    const changes = [];
    for (let i = from; i < (top ? view.o.end[from] : view.o.n); i++) {
      if (!steps.isToJudge(i)) continue;
      const at = steps.id(i);
      const slot = this.own.get(at) ?? empty(at);
      if (slot.mark.correctness) continue;
      const after = applyEdit(slot.mark, edit, this.scheme);
      changes.push({ at, before: slot.mark, after });
      this.put({ ...slot, mark: after, group });
    }
    return changes;
  }

  /** The unconfirmed writes of this session, in their order. */
  writes() {
    const { trace, project, scheme, annotator } = this.context;
    return this.sender.writes.list.filter(({ context: its }) => its.trace === trace && its.project === project && its.scheme === scheme && its.annotator === annotator);
  }

  /** @param {Slot} slot */
  put(slot) {
    const i = this.steps.row(slot.at);
    const isToJudge = i >= 0 && this.steps.isToJudge(i);
    const before = this.own.get(slot.at);
    if (before && COUNTED.has(before.state)) this.tally.add(before.mark, isToJudge, -1);
    this.own.set(slot.at, slot);
    if (COUNTED.has(slot.state)) this.tally.add(slot.mark, isToJudge);
  }

  changed() {
    remember(this.context, this.history);
    this.turn.value = this.turn.peek() + 1;
  }
}
