/** The annotation panel: all annotations of the selected step, and the score. */
import { useEffect, useLayoutEffect } from "../vendor/hooks.js";
import "../i18n/judging_runs.js";
import { annotate as en } from "../i18n/en/annotate.js";
import { learn, number, t } from "../i18n/index.js";
import { annotate as zh } from "../i18n/zh/annotate.js";
import { chosen, grid, view } from "../run/state.js";
import { annotator } from "../state/reader.js";
import { change, place } from "../state/place.js";
import { useAgain } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line } from "../ui/html.js";
import { Unsettled } from "./conflicts.js";
import { open, schemes, sender, session, trouble, wantedScheme } from "./current.js";
import { nextUnjudged, turnBack } from "./deeds.js";
import { Differing } from "./differing.js";
import { Extras } from "./extras.js";
import { Form } from "./form.js";
import { useAnnotationKeys } from "./keys.js";
import { Name, NameForm } from "./name.js";
import { People } from "./people.js";
import { isStepwise } from "./scheme.js";
import { SchemeChoice } from "./scheme_choice.js";
import { Changed, Orphans } from "./states.js";
import { marksOf, roomFor, showMarks } from "./tree_marks.js";
import { finish, finishTrouble, go } from "./walk.js";
import { Attribution } from "./of_run.js";

/** @typedef {import("./session.js").Session} Session */

export { MarksAtRest } from "./at_rest.js";

learn({ en, zh });

export function Panel() {
  const { annotate, project } = place.value.query;
  const scheme = wantedScheme();
  const there = view.value;
  const [turn, again] = useAgain(trouble.value);
  useLayoutEffect(() => void open(), [annotate, project, scheme?.hash, there, annotator.value, turn]);
  useEffect(() => { if (scheme && annotate !== scheme.name) change({ annotate: scheme.name }); }, [scheme?.name]);
  useMarks(session.value);
  useAnnotationKeys();
  const of = session.value;
  if (trouble.value && !of) return html`<section class="annotate"><${Failure} error=${trouble.value} again=${again} /></section>`;
  return html`<section class="annotate" aria-label=${t("annotate.label")}>
    <header class="annotate-head"><${SchemeChoice} schemes=${schemes.value ?? []} on=${scheme?.name ?? ""} />
      ${annotator.value && html`<${Name} />`}<${Saved} /></header>
    ${!annotator.value ? html`<${NameForm} />` : of && html`<${Said} of=${of} />`}
  </section>`;
}

/** Show marks in the tree while the panel is open. @param {Session | null} of */
function useMarks(of) {
  const there = grid.value;
  useLayoutEffect(() => { // the panel takes keys as soon as it is visible
    if (!there || !of) return undefined;
    const take = showMarks(there, marksOf(of), roomFor(of));
    if (!place.peek().query.step) go(nextUnjudged(of, -1));
    const stop = of.turn.subscribe(() => {
      there.host.style.setProperty("--signs", String(roomFor(of)));
      there.updateTexts();
    });
    return () => {
      stop();
      take();
    };
  }, [there, of]);
}

/** Whether everything is stored. */
function Saved() {
  const from = sender.value;
  if (!from) return "";
  const [waiting, problem] = [from.waiting.value, from.trouble.value];
  const why = problem && waiting ? (problem.status === 0 || problem.status === 503 ? t("annotate.offline") : problem.message) : "";
  return html`<span class="saved ${waiting ? "waits" : ""} ${why ? "bad" : ""}" role="status" title=${why}>${waiting ? t("annotate.waiting", { n: waiting }) : t("annotate.saved")}${why && html`<span class="why"> · ${line(why, 80)}</span>`}</span>`;
}

/** Its parts get the counter too, because a part with the same props is not rendered again. @param {{of: Session}} props */
function Said({ of }) {
  const there = view.value;
  const i = chosen.value;
  if (!there) return "";
  const isStep = of.steps.isStep(i);
  const at = isStep ? of.steps.id(i) : "";
  return html`<${Figures} of=${of} turn=${of.turn.value} />
    <${Unsettled} of=${of} turn=${of.turn.value} />
    <${Differing} of=${of} turn=${of.turn.value} />
    ${finishTrouble.value && html`<p class="note" role="alert">${finishTrouble.value}</p>`}
    ${isStepwise(of.scheme) && html`${isStep && html`<${Changed} of=${of} turn=${of.turn.value} at=${at} />`}<${Form} key=${`form ${at}`} of=${of} turn=${of.turn.value} at=${at} i=${i} />`}
    ${of.scheme.annotation_type === "failure_attribution" && html`<${Attribution} of=${of} turn=${of.turn.value} i=${i} />`}
    <${Extras} of=${of} turn=${of.turn.value} at=${at} />
    <${People} of=${of} turn=${of.turn.value} at=${at} />
    <${Orphans} of=${of} turn=${of.turn.value} />`;
}

/** The provisional score, the progress, and the button to continue. @param {{of: Session}} props */
function Figures({ of }) {
  if (!isStepwise(of.scheme)) return html`<p class="figures">${line(of.scheme.description, 200)}<span class="room"></span><${Deeds} of=${of} turn=${of.turn.value} /></p>`;
  const { value, isComplete, unjudged, unweighed, judged } = of.tally.score();
  const total = judged + unjudged;
  const missing = [unjudged && t("annotate.unjudged", { n: unjudged }), unweighed && t("annotate.unweighed", { n: unweighed })].filter(Boolean).join(t("annotate.and"));
  return html`<div class="figures">
    ${of.scheme.annotation_type === "trajectory_eval" && of.scheme.show_score && html`<span class="score ${isComplete ? "" : "open"}" title=${isComplete ? t("annotate.score") : t("annotate.provisional", { missing })}><span class="sr">${t("annotate.score")}</span> <b>${number(value)}</b> / ${number(of.scheme.max_score)}</span>`}
    <span class="progress"><progress max=${Math.max(1, total)} value=${judged} aria-label=${t("annotate.judged", { n: judged, total })}></progress> ${t("annotate.judged", { n: judged, total })}</span>
    <span class="room"></span><${Deeds} of=${of} turn=${of.turn.value} />
    <p class="quiet provisional" role="status">${isComplete ? t("annotate.complete") : t("annotate.provisional", { missing })}</p>
  </div>`;
}

/** @param {{of: Session}} props */
function Deeds({ of }) {
  const back = (/** @type {1 | -1} */ way) => () => { const at = turnBack(of, way); if (at) go(of.steps.row(at)); };
  return html`<span class="deeds">
    <button disabled=${!of.history.done.length} onClick=${back(-1)} title=${t("annotate.undo")}>${t("annotate.undo")} <kbd>u</kbd></button>
    <button disabled=${!of.history.undone.length} onClick=${back(1)} title=${t("annotate.redo")}>${t("annotate.redo")} <kbd>U</kbd></button>
    <button onClick=${finish} title=${t("annotate.done.means")}>${t("annotate.done")} <kbd>Ctrl ⏎</kbd></button></span>`;
}
