/** Draws annotations as signs in the rows of the tree, whether the annotation panel is open or not. */
import { t } from "../i18n/index.js";
import { make } from "../tree/row.js";
import { line } from "../ui/html.js";
import { asksMore, isStepwise, shapeOf, worded } from "./scheme.js";
import { useEffect } from "../vendor/hooks.js";
import { getRows } from "../api.js";
import { grid, traceId, view } from "../run/state.js";
import { annotator } from "../state/reader.js";
import { place } from "../state/place.js";
import { loadSchemes, schemeOf, schemes, stepScores } from "./current.js";
import { Steps } from "./steps.js";

// Draws a sign for each annotation by this annotator or other people, and for each score of an evaluator.

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./scheme.js").Scheme} Scheme */
/** @typedef {{shape: string, text: string}} Sign `shape`: class names of the sign */

export const MOST_OTHERS = 4;

/** Show annotations in a tree, with space for `room` signs per row, until the returned function is called. @param {import("../tree/grid.js").Grid} there @param {import("../tree/row.js").Marks} marks @param {number} room */
export function showMarks(there, marks, room) {
  there.marks = marks;
  there.host.classList.add("marked");
  there.host.style.setProperty("--signs", String(room));
  there.updateTexts();
  return () => {
    if (there.marks !== marks) return; // the panel shows other annotations now
    there.marks = null;
    there.host.classList.remove("marked");
    there.updateTexts();
  };
}

/** Return an object whose `fill` draws the annotations of a session in a row of the tree. @param {Session} of @returns {{fill: (cell: HTMLElement, i: number) => void}} */
export function marksOf(of) {
  return { fill: (cell, i) => draw(cell, of.steps.isStep(i) ? signsOf(of, i) : []) };
}

/** The number of signs for which every row has space, including the annotator's own sign, so that rows are aligned. @param {Session} of */
export function roomFor(of) {
  const most = Math.max(of.people.length, ...[...of.scores.keys()].map((at) => (of.scores.get(at)?.length ?? 0) + (of.others.get(at)?.length ?? 0)));
  return 1 + Math.min(MOST_OTHERS, most);
}

/** The signs of a row, the annotator's own sign first. @param {Session} of @param {number} i @returns {Sign[]} */
export function signsOf(of, i) {
  const at = of.steps.id(i);
  if (!isStepwise(of.scheme)) return pointers(of, at);
  const others = (of.others.get(at) ?? []).map((row) => signOfRow(of.scheme, row));
  return [own(of, at, of.steps.isToJudge(i)), ...atMost([...others, ...(of.scores.get(at) ?? []).map(signOfScore)])];
}

/** At most `MOST_OTHERS` of the signs; if there are more, the last sign shows how many are left out. @param {Sign[]} all @returns {Sign[]} */
export function atMost(all) {
  if (all.length <= MOST_OTHERS) return all;
  return [...all.slice(0, MOST_OTHERS - 1), { shape: "more", text: t("marks.more", { n: all.length - MOST_OTHERS + 1 }) }];
}

/** The sign for another annotator's annotation of a step. @param {Scheme} scheme @param {any} row @returns {Sign} */
export const signOfRow = (scheme, row) => sign(scheme, row.correctness, row, row.annotator, isMachine(row.origin));

/** The sign of an evaluator's score. @param {any} score @returns {Sign} */
export const signOfScore = ({ passed, author, name, value }) => ({ shape: `mark machine m-${passed === false ? "wrong" : passed ? "right" : "half"}`, text: `${author}: ${name} ${value ?? ""}` });

/** The signs of a step if the scheme is for whole runs: one per annotator who named the step or marked passages in it. @param {Session} of @param {string} at @returns {Sign[]} */
function pointers(of, at) {
  const all = [{ annotator: t("marks.you"), value: of.mark("").value, isOwn: true }, ...(of.others.get("") ?? [])];
  return all.flatMap(({ annotator: who, value, isOwn }) => {
    const found = pointerOf(who, value, at);
    return found ? [isOwn ? withOwn(found) : found] : [];
  }).slice(0, MOST_OTHERS + 1);
}

/** The sign of an annotator who judged the whole run and named this step or marked passages in it; null otherwise. @param {string} who @param {any} value @param {string} at @returns {Sign | null} */
export function pointerOf(who, value, at) {
  const isDecisive = value.decisive_step === at;
  const pieces = [value.spans, value.corrections].flatMap((list) => (Array.isArray(list) ? list.filter((one) => one?.step_id === at) : []));
  const text = [isDecisive && t("marks.decisive"), pieces.length > 0 && t("marks.pieces", { n: pieces.length })].filter(Boolean).join(", ");
  return text ? { shape: isDecisive ? "decisive" : "mark m-wrong", text: `${who}: ${text}` } : null;
}

/** @param {string} origin */
export const isMachine = (origin) => origin === "model" || origin === "rule";

/** @param {Session} of @param {string} at @param {boolean} isToJudge @returns {Sign} */
function own(of, at, isToJudge) {
  const slot = of.own.get(at);
  if (slot?.state === "changed" && slot.mark.correctness) return { shape: "mark own changed", text: t("marks.changed") };
  if (slot?.mark.correctness) return withOwn(sign(of.scheme, slot.mark.correctness, slot.mark, t("marks.you"), false));
  return { shape: isToJudge ? "mark own m-none" : "mark own m-empty", text: isToJudge ? t("marks.unjudged") : "" };
}

/** @param {Sign} found @returns {Sign} */
const withOwn = (found) => ({ ...found, shape: `${found.shape} own` });

/** @param {Scheme} scheme @param {string} correctness @param {{severity: string, error_type: string}} mark @param {string} who @param {boolean} isByMachine @returns {Sign} */
function sign(scheme, correctness, { severity, error_type: type }, who, isByMachine) {
  const isOpen = asksMore(scheme, correctness) && scheme.severities.length > 0 && !severity;
  const words = [correctness, type, severity].filter(Boolean).map(worded).join(", ");
  return { shape: `mark m-${shapeOf(scheme, correctness)}${isByMachine ? " machine" : ""}${isOpen ? " open" : ""}`, text: `${who}: ${words}${isOpen ? `, ${t("marks.open")}` : ""}` };
}

/** Draw signs into a cell, unless it already has them. @param {HTMLElement} cell @param {Sign[]} signs */
export function draw(cell, signs) {
  const text = signs.map((one) => one.text).filter(Boolean).join("; ");
  const wanted = signs.map((one) => one.shape).join("|") + text;
  if (cell.dataset.drawn === wanted) return;
  cell.dataset.drawn = wanted;
  cell.replaceChildren();
  for (const { shape } of signs) make("i", shape, cell).ariaHidden = "true";
  make("span", "sr", cell).textContent = text;
  cell.title = line(text, 300);
}

// Signs in the tree while the panel is closed: annotations of all people and schemes, and scores of evaluators.

/** @typedef {import("../tree/view.js").View} View */

/** Fetches annotations and scores; renders nothing, because the rows of the tree draw their signs. */
export function MarksAtRest() {
  const [there, of] = [grid.value, view.value];
  const { project, version } = place.value.query;
  useEffect(() => {
    if (!there || !of) return undefined;
    let take = () => {};
    let isOver = false;
    void signsOfAll(of, project).then((signs) => {
      if (!isOver && signs) take = showMarks(there, { fill: (cell, i) => draw(cell, signs.of(i)) }, signs.room);
    });
    return () => { isOver = true; take(); };
  }, [there, of, project, version, annotator.value]);
  return "";
}

/** The signs of every row; null if the run has no annotations. @param {View} of @param {string | undefined} project */
async function signsOfAll(of, project) {
  const annotations = await annotationsOf(traceId(), project);
  if (!annotations) return null;
  const steps = new Steps(of);
  return { room: annotations.room(), of: (/** @type {number} */ i) => (steps.isStep(i) ? annotations.signs(steps.id(i)) : []) };
}

/** The annotations of a run; null if there are none. @param {string} trace @param {string | undefined} project */
export async function annotationsOf(trace, project) {
  const annotations = new RunAnnotations();
  const rows = getRows(`/v1/trajectories/${trace}/annotations`, { project }, (row) => annotations.add(row));
  const [count, scores] = await Promise.all([rows.then((data) => data.count, () => annotations.forget()), stepScores(trace, project)]);
  for (const one of scores) annotations.addScore(one);
  if (!count && !scores.length) return null;
  if (count && !schemes.peek()) await loadSchemes();
  return annotations;
}

/** Annotations by the steps at which they are shown. A long run has very many, so a sign is created when its row is drawn. */
class RunAnnotations {
  /** @type {Map<string, any[]>} */
  #rows = new Map();
  /** @type {Map<string, any[]>} */
  #scores = new Map();

  /** @param {any} row */
  add(row) {
    for (const at of placesOf(row)) add(this.#rows, at, currentStep(row) ? brief(row) : row);
  }

  /** @param {any} one */
  addScore(one) {
    add(this.#scores, one.step_id, one);
  }

  /** Drop all annotations, because some could not be loaded, and showing only the others would mislead. */
  forget() {
    this.#rows.clear();
    return 0;
  }

  /** The maximum number of signs in a row. */
  room() {
    let most = 0;
    for (const [at, rows] of this.#rows) most = Math.max(most, rows.length + (this.#scores.get(at)?.length ?? 0));
    for (const scores of this.#scores.values()) most = Math.max(most, scores.length);
    return Math.min(MOST_OTHERS, most);
  }

  /** @param {string} at @returns {Sign[]} */
  signs(at) {
    const rows = (this.#rows.get(at) ?? []).map((row) => (row.value ? pointerOf(row.annotator, row.value, at) : signOfRow(schemeOf(row.scheme), row)));
    return atMost([...rows.filter((one) => one !== null), ...(this.#scores.get(at) ?? []).map(signOfScore)]);
  }
}

/** @param {Map<string, any[]>} byStep @param {string} at @param {any} one */
function add(byStep, at, one) {
  const known = byStep.get(at);
  if (known) known.push(one);
  else byStep.set(at, [one]);
}

/** The fields of a step's annotation that a sign needs; other fields are dropped. @param {any} row */
const brief = (row) => ({ scheme: row.scheme, annotator: row.annotator, origin: row.origin, correctness: row.correctness, severity: row.severity, error_type: row.error_type });

/** The step of an annotation; empty for the whole run. @param {any} row @returns {string} */
const currentStep = (row) => row.stands_at || row.step_id;

/** The ids of the steps at which an annotation is shown. @param {any} row @returns {Iterable<string>} */
function placesOf(row) {
  const at = currentStep(row);
  if (at) return row.correctness && row.state !== "orphaned" ? [at] : [];
  const pieces = [row.value.spans, row.value.corrections].flatMap((list) => (Array.isArray(list) ? list.map((one) => one?.step_id) : []));
  return new Set([row.value.decisive_step, ...pieces].filter(Boolean));
}
