/** Marks in the tree while the panel is closed: what anybody said, whatever the scheme, and what evaluators gave. */
import { useEffect } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { grid, runPath, traceId, view } from "../run/state.js";
import { annotator } from "../state/annotator.js";
import { place } from "../state/place.js";
import { loadSchemes, schemeOf, schemes } from "./current.js";
import { stepScores } from "./evaluators.js";
import { Steps } from "./steps.js";
import { atMost, draw, pointerOf, showMarks, signOfRow, signOfScore } from "./tree_marks.js";

/** @typedef {import("./tree_marks.js").Sign} Sign */
/** @typedef {import("../tree/view.js").View} View */

/** Draws nothing itself: the rows of the tree do. */
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

/** The signs of every row; null where nobody said anything. @param {View} of @param {string | undefined} project */
async function signsOfAll(of, project) {
  const [told, scores] = await Promise.all([getJson(`${runPath()}/annotations`, { project }).catch(() => null), stepScores(traceId(), project)]);
  const rows = told?.items ?? [];
  if (!rows.length && !scores.length) return null;
  if (rows.length && !schemes.peek()) await loadSchemes();
  /** @type {Map<string, Sign[]>} */
  const byStep = new Map();
  for (const row of rows) for (const [at, sign] of signsOfRow(row)) add(byStep, at, sign);
  for (const one of scores) add(byStep, one.step_id, signOfScore(one));
  const steps = new Steps(of);
  const room = Math.max(0, ...[...byStep.values()].map((signs) => atMost(signs).length));
  return { room, of: (/** @type {number} */ i) => (steps.isStep(i) ? atMost(byStep.get(steps.id(i)) ?? []) : []) };
}

/** @param {Map<string, Sign[]>} byStep @param {string} at @param {Sign} sign */
function add(byStep, at, sign) {
  const known = byStep.get(at);
  if (known) known.push(sign);
  else byStep.set(at, [sign]);
}

/** The signs of what somebody said, and the steps that they stand at. @param {any} row @returns {[string, Sign][]} */
function signsOfRow(row) {
  const at = row.stands_at || row.step_id;
  if (at) return row.correctness && row.state !== "orphaned" ? [[at, signOfRow(schemeOf(row.scheme), row)]] : [];
  const named = [row.value.decisive_step, ...[row.value.spans, row.value.corrections].flatMap((list) => (Array.isArray(list) ? list.map((one) => one?.step_id) : []))];
  return [...new Set(named)].flatMap((step) => {
    const sign = step && pointerOf(row.annotator, row.value, step);
    return sign ? [/** @type {[string, Sign]} */ ([step, sign])] : [];
  });
}
