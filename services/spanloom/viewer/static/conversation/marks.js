/** Annotations in the tree of a conversation: which runs are annotated, and the annotations by people and evaluators of the steps of open runs. */
import { useEffect, useState } from "../vendor/hooks.js";
import { saidOf } from "../annotate/at_rest.js";
import { styled } from "../annotate/door.js";
import { draw, showMarks } from "../annotate/tree_marks.js";
import { t } from "../i18n/index.js";
import { grid, turns } from "../run/state.js";
import { annotator } from "../state/reader.js";
import { place } from "../state/place.js";
import { isStep, spanId } from "../tree/outline.js";
import { runsOf } from "./forest.js";
import { linesOf } from "./runs.js";

/** @typedef {Awaited<ReturnType<typeof saidOf>>} Said */
/** @typedef {{trace_id: string, project: string}} Of */

/** @param {Of} of */
const keyOf = (of) => `${of.project} ${of.trace_id}`;

/** Which runs are annotated, by one request for all of them. @returns {Promise<Set<string>>} */
async function annotatedRuns() {
  const found = new Set();
  for await (const line of linesOf("annotated", "project,trace_id")) found.add(keyOf(line));
  return found;
}

/** Renders nothing itself; the rows of the tree do. */
export function Marks() {
  const there = grid.value;
  const [annotated, setAnnotated] = useState(/** @type {Set<string>} */ (new Set()));
  const [said] = useState(/** @type {Map<string, Said>} */ (new Map()));
  const [room, setRoom] = useState(0);
  const { id, project } = place.value.query;
  useEffect(() => {
    said.clear();
    void Promise.all([annotatedRuns(), styled()]).then(([found]) => setAnnotated(found), () => {});
  }, [id, project, annotator.value]);
  const most = Math.max(room, annotated.size ? 1 : 0);
  useEffect(() => (there && most ? showMarks(there, { fill: (cell, i) => draw(cell, signsOf(i)) }, most) : undefined), [there, annotated, most]);
  useEffect(() => {
    for (const { run, outline } of there ? runsOf(there.view.o).parts : []) {
      const key = keyOf(run);
      if (!outline || said.has(key)) continue;
      said.set(key, null);
      void saidOf(run.trace_id, run.project).then((found) => {
        said.set(key, found);
        setRoom((before) => Math.max(before, found?.room() ?? 0));
        grid.peek()?.updateTexts();
      }, () => said.delete(key));
    }
  }, [there, annotated, turns.value]);
  /** @param {number} i @returns {import("../annotate/tree_marks.js").Sign[]} */
  const signsOf = (i) => {
    const o = /** @type {import("../tree/grid.js").Grid} */ (grid.peek()).view.o;
    const { run, outline } = runsOf(o).part(i);
    if (runsOf(o).isHead(i)) return annotated.has(keyOf(run)) ? [{ shape: "mark m-half", says: t("list.annotated") }] : [];
    return (outline && isStep(o, i) && said.get(keyOf(run))?.signs(spanId(outline, runsOf(o).own(i)))) || [];
  };
  return "";
}
