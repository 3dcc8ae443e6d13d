/** Marks in the tree while the panel is closed: annotations of all people and schemes, and scores of evaluators. */
import { useEffect } from "../vendor/hooks.js";
import { getRows } from "../api.js";
import { grid, traceId, view } from "../run/state.js";
import { annotator } from "../state/reader.js";
import { place } from "../state/place.js";
import { loadSchemes, schemeOf, schemes } from "./current.js";
import { stepScores } from "./evaluators.js";
import { Steps } from "./steps.js";
import { atMost, draw, MOST_OTHERS, pointerOf, showMarks, signOfRow, signOfScore } from "./tree_marks.js";

/** @typedef {import("./tree_marks.js").Sign} Sign */
/** @typedef {import("../tree/view.js").View} View */

/** Draws nothing itself, because the rows of the tree do. */
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
  const said = await saidOf(traceId(), project);
  if (!said) return null;
  const steps = new Steps(of);
  return { room: said.room(), of: (/** @type {number} */ i) => (steps.isStep(i) ? said.signs(steps.id(i)) : []) };
}

/** The annotations of a run; null if there are none. @param {string} trace @param {string | undefined} project */
export async function saidOf(trace, project) {
  const said = new Said();
  const rows = getRows(`/v1/trajectories/${trace}/annotations`, { project }, (row) => said.add(row));
  const [count, scores] = await Promise.all([rows.then((data) => data.count, () => said.forget()), stepScores(trace, project)]);
  for (const one of scores) said.addScore(one);
  if (!count && !scores.length) return null;
  if (count && !schemes.peek()) await loadSchemes();
  return said;
}

/** Annotations by the steps that they are shown at. A long run has very many: a sign is made when its row is drawn. */
class Said {
  /** @type {Map<string, any[]>} */
  #rows = new Map();
  /** @type {Map<string, any[]>} */
  #scores = new Map();

  /** @param {any} row */
  add(row) {
    for (const at of placesOf(row)) add(this.#rows, at, standing(row) ? brief(row) : row);
  }

  /** @param {any} one */
  addScore(one) {
    add(this.#scores, one.step_id, one);
  }

  /** Some could not be loaded: show none instead of a part. */
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
    return atMost([...rows.filter((sign) => sign !== null), ...(this.#scores.get(at) ?? []).map(signOfScore)]);
  }
}

/** @param {Map<string, any[]>} byStep @param {string} at @param {any} one */
function add(byStep, at, one) {
  const known = byStep.get(at);
  if (known) known.push(one);
  else byStep.set(at, [one]);
}

/** The fields of a step's annotation that a sign needs; the others are dropped. @param {any} row */
const brief = (row) => ({ scheme: row.scheme, annotator: row.annotator, origin: row.origin, correctness: row.correctness, severity: row.severity, error_type: row.error_type });

/** The step of an annotation; empty for the whole run. @param {any} row @returns {string} */
const standing = (row) => row.stands_at || row.step_id;

/** The steps at which an annotation is shown. @param {any} row @returns {Iterable<string>} */
function placesOf(row) {
  const at = standing(row);
  if (at) return row.correctness && row.state !== "orphaned" ? [at] : [];
  const pieces = [row.value.spans, row.value.corrections].flatMap((list) => (Array.isArray(list) ? list.map((one) => one?.step_id) : []));
  return new Set([row.value.decisive_step, ...pieces].filter(Boolean));
}
