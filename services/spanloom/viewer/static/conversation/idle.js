/** Components of a conversation's page that are loaded when the page is idle: annotations, newer runs. */
import { useEffect, useState } from "../vendor/hooks.js";
import { draw, annotationsOf, showMarks } from "../annotate/tree_marks.js";
import { styled } from "../annotate/door.js";
import { t } from "../i18n/index.js";
import { grid, turns } from "../run/state.js";
import { annotator } from "../state/reader.js";
import { place } from "../state/place.js";
import { isStep, spanId } from "../tree/outline.js";
import { runsOf } from "./join.js";
import { partAt } from "./state.js";
import { areAll, linesOf, runs } from "./runs.js";
import { follow } from "../state/follow.js";
import { quoted } from "../state/filters.js";
import { html } from "../ui/html.js";

// Annotations in the tree of a conversation: which runs are annotated, and the annotations by people and
// evaluators of the steps of open runs.

/** @typedef {Awaited<ReturnType<typeof annotationsOf>>} RunAnnotations */
/** @typedef {{trace_id: string, project: string}} RunKey */

/** @param {RunKey} of */
const keyOf = (of) => `${of.project} ${of.trace_id}`;

/** Find the annotated runs, with one request for all runs. @returns {Promise<Set<string>>} */
async function annotatedRuns() {
  const found = new Set();
  for await (const line of linesOf("annotated", "project,trace_id")) found.add(keyOf(line));
  return found;
}

/** Fetches annotations and scores; renders nothing, because the rows of the tree draw their signs. */
export function Marks() {
  const there = grid.value;
  const [annotated, setAnnotated] = useState(/** @type {Set<string>} */ (new Set()));
  const [loaded] = useState(/** @type {Map<string, RunAnnotations>} */ (new Map()));
  const [room, setRoom] = useState(0);
  const { id, project } = place.value.query;
  useEffect(() => {
    loaded.clear();
    void Promise.all([annotatedRuns(), styled()]).then(([found]) => setAnnotated(found), () => {});
  }, [id, project, annotator.value]);
  const most = Math.max(room, annotated.size ? 1 : 0);
  useEffect(() => (there && most ? showMarks(there, { fill: (cell, i) => draw(cell, signsOf(i)) }, most) : undefined), [there, annotated, most]);
  useEffect(() => {
    for (const { run, outline } of there ? runsOf(there.view.o).parts : []) {
      const key = keyOf(run);
      if (!outline || loaded.has(key)) continue;
      loaded.set(key, null);
      void annotationsOf(run.trace_id, run.project).then((found) => {
        loaded.set(key, found);
        setRoom((before) => Math.max(before, found?.room() ?? 0));
        grid.peek()?.updateTexts();
      }, () => loaded.delete(key));
    }
  }, [there, annotated, turns.value]);
  /** @param {number} i @returns {import("../annotate/tree_marks.js").Sign[]} */
  const signsOf = (i) => {
    const o = /** @type {import("../tree/grid.js").Grid} */ (grid.peek()).view.o;
    const { run, outline } = runsOf(o).part(i);
    if (runsOf(o).isHead(i)) return annotated.has(keyOf(run)) ? [{ shape: "mark m-half", text: t("list.annotated") }] : [];
    return (outline && isStep(o, i) && loaded.get(keyOf(run))?.signs(spanId(outline, runsOf(o).own(i)))) || [];
  };
  return "";
}

// A bar announces runs that arrived since the conversation was read, and loads them on request. Nothing moves
// until then.

/** @typedef {Pick<import("../records.js").Change, "trace_id" | "project" | "version">} Line */

const PAUSE_MS = 700;
/** Maximum number of unknown runs per request. */
const AT_ONCE = 50;

/** `new` or `changed` if a run is new or has changed since it was read; otherwise empty. @param {Line} line @returns {"new" | "changed" | ""} */
function isOther({ trace_id: id, project, version }) {
  const at = (runs.peek() ?? []).findIndex((run) => run.trace_id === id && run.project === project);
  if (at < 0) return "new";
  const { run, outline } = partAt(at) ?? { run: (runs.peek() ?? [])[at], outline: null };
  return version > Math.max(run.version, outline?.version ?? 0) ? "changed" : "";
}

/** Request the runs of the conversation that match a condition, and report each. @param {string} condition @param {(line: Line) => void} report */
async function ask(condition, report) {
  for await (const line of linesOf(condition, "project,trace_id,version")) report(line);
}

/** Follow the feed until the returned function is called. @param {string | undefined} project @param {(line: Line, is: "new" | "changed") => void} note */
function watch(project, note) {
  /** @type {Set<string>} */
  const wondered = new Set();
  let asking = 0;
  /** @param {Line} line */
  const look = (line) => { const is = isOther(line); if (is) note(line, is); };
  // Only the service knows whether an unknown run belongs to the conversation.
  const wonder = () => {
    const ids = [...wondered].slice(0, AT_ONCE);
    ids.forEach((id) => wondered.delete(id));
    void ask(`trace_id in (${ids.map(quoted).join(", ")})`, look).catch(() => {}).finally(() => { asking = wondered.size ? setTimeout(wonder, PAUSE_MS) : 0; });
  };
  const stop = follow({ project }, (change) => {
    if (isOther(change) !== "new") return look(change);
    wondered.add(change.trace_id);
    asking ||= setTimeout(wonder, PAUSE_MS);
  }, (isLive) => { if (isLive) void ask("", look).catch(() => {}); }); // the feed does not announce runs from before it was opened
  return () => { stop(); clearTimeout(asking); };
}

export function Newer() {
  const [came, setCame] = useState(/** @type {Map<string, "new" | "changed">} */ (new Map()));
  const [seen, setSeen] = useState(0);
  const { id, project } = place.value.query;
  const isReady = areAll.value;
  useEffect(() => {
    if (!isReady) return undefined;
    setCame(new Map());
    return watch(project, (line, is) => setCame((known) => (known.has(line.trace_id) ? known : new Map(known).set(line.trace_id, is))));
  }, [id, project, isReady]);
  if (came.size <= seen) return "";
  const counted = /** @type {const} */ (["new", "changed"]).map((is) => [is, [...came.values()].filter((one) => one === is).length]);
  const what = counted.filter(([, n]) => n).map(([is, n]) => t(`live.${/** @type {"new" | "changed"} */ (is)}`, { n })).join(" · ");
  return html`<p class="newer-bar" role="status">${t("conversation.newer", { what })}
    <button onClick=${() => location.reload()}>${t("newer.show")}</button><button class="plain" aria-label=${t("newer.later")} title=${t("newer.later")} onClick=${() => setSeen(came.size)}>×</button></p>`;
}
