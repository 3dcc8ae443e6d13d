/** The annotation panel: all annotations of the selected step, and the score. */
import { useEffect, useLayoutEffect, useState } from "../vendor/hooks.js";
import { learn, number, t } from "../i18n/index.js";
import { annotator } from "../state/reader.js";
import { html, line, visible } from "../ui/html.js";
import { change, place } from "../state/place.js";
import { later, useAgain } from "../ui/fetched.js";
import { chosen, grid, view } from "../run/state.js";
import { Failure, useKeys } from "../ui/frame.js";
import { open, schemes, sender, session, trouble, wantedScheme } from "./current.js";
import { finish, finishTrouble, go, here, nextUnjudged, annotateStep, annotateBranch, toForm, toNext, turnBack } from "./deeds.js";
import { Changed, Differing, Orphans, People, toDisputed, Unsettled } from "./people.js";
import { asksMore, isStepwise } from "./scheme.js";
import "../i18n/judging_runs.js";
import { annotate as en } from "../i18n/en/annotate.js";
import { annotate as zh } from "../i18n/zh/annotate.js";
import { Attribution, Extras, Form } from "./form.js";
import { marksOf, roomFor, showMarks } from "./tree_marks.js";

// The annotator's name: entered once, stored in this browser, and labelled as not verified.

const MOST = 100;

/** @param {{done?: () => void}} props */
export function NameForm({ done }) {
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    const name = String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name") ?? "").trim();
    if (!name) return;
    annotator.value = name;
    done?.();
  };
  return html`<form class="name-form" onSubmit=${take}>
    <label>${t("annotate.name")} <input name="name" required maxlength=${MOST} pattern=".*\\S.*" autocomplete="name" spellcheck=${false} value=${annotator.value} autofocus /></label>
    <button class="main">${t("annotate.begin")}</button>
    <p class="quiet">${t("annotate.name.means")}</p></form>`;
}

export function Name() {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return html`<${NameForm} done=${() => setOpen(false)} />`;
  return html`<button class="plain who" title=${t("annotate.name.means")} onClick=${() => setOpen(true)}><bdi>${visible(annotator.value)}</bdi> <span class="quiet">${t("annotate.unverified")}</span></button>`;
}

// The choice of a scheme: schemes of the project, presets, or a new scheme.

const NewScheme = later(async () => (await import("./new_scheme.js")).NewScheme);

/** @param {{schemes: import("./scheme.js").Scheme[], on: string}} props */
export function SchemeChoice({ schemes: known, on }) {
  const [isOpen, setOpen] = useState(false);
  /** @param {Event} event */
  const choose = (event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    select.blur(); // let the page receive key presses again
    change({ annotate: select.value }, true);
  };
  const own = known.filter((one) => one.project !== null);
  const presets = known.filter((one) => one.project === null);
  /** @param {string} label @param {typeof known} list */
  const group = (label, list) => list.length > 0 && html`<optgroup label=${label}>${list.map((one) => html`<option value=${one.name} selected=${one.name === on}>${visible(one.name)}</option>`)}</optgroup>`;
  return html`<select class="scheme" aria-label=${t("annotate.scheme")} value=${on} onChange=${choose} title=${known.find((one) => one.name === on)?.description ?? ""}>${group(t("annotate.own"), own)}${group(t("annotate.presets"), presets)}</select>
    <button class="plus" aria-label=${t("annotate.new")} title=${t("annotate.new")} onClick=${() => setOpen(true)}>+</button>
    ${isOpen && html`<${NewScheme} close=${() => setOpen(false)} />`}`;
}

// The annotator's keys. The letters of the form are in form.js, because they work only in the form.

/** The pressed digit, from 1, also with Shift in any keyboard layout; 0 for other keys. @param {KeyboardEvent} event */
const digitOf = (event) => Number(/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] ?? (/^[1-9]$/.test(event.key) ? event.key : 0));

/** @param {KeyboardEvent} event */
const isPlain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;

/** Judge a step. If it is right, select the next step; otherwise the form shows more fields. @param {number} digit */
function judge(digit) {
  const of = session.peek();
  const i = here();
  const option = of?.scheme.correctness_options[digit - 1];
  if (!of || !option || !of.steps.isStep(i)) return;
  annotateStep(of, of.steps.id(i), { correctness: option });
  if (!asksMore(of.scheme, option)) toNext();
  else {
    chosen.value = i; // without delay, because letters may follow at once
    toForm.value = of.steps.id(i);
  }
}

/** @param {number} digit */
function judgeBranch(digit) {
  const of = session.peek();
  const option = of?.scheme.correctness_options[digit - 1];
  if (!of || !option || here() < 0) return;
  annotateBranch(of, here(), option);
}

/** Mark the decisive step of a failure. */
function decide() {
  const of = session.peek();
  if (!of || of.scheme.annotation_type !== "failure_attribution" || !of.steps.isStep(here())) return;
  annotateStep(of, "", { value: { decisive_step: of.steps.id(here()) } });
}

/** @param {1 | -1} way */
const undoOrRedo = (way) => () => {
  const of = session.peek();
  const at = of && turnBack(of, way);
  if (of && at) go(of.steps.row(at));
};

export function useAnnotationKeys() {
  const isOfSteps = () => { const of = session.peek(); return of ? isStepwise(of.scheme) : false; };
  useKeys([
    { key: "1 … 9", label: "key.annotate.judge", isPressed: (event) => isPlain(event) && !event.shiftKey && digitOf(event) > 0, run: (event) => judge(digitOf(event)) },
    { key: "⇧ 1 … 9", label: "key.annotate.branch", isPressed: (event) => isPlain(event) && event.shiftKey && digitOf(event) > 0 && isOfSteps(), run: (event) => judgeBranch(digitOf(event)) },
    { key: "!", label: "key.annotate.decide", run: decide },
    { key: "n", label: "key.annotate.next", run: toNext },
    { key: "d", label: "key.annotate.differ", run: toDisputed },
    { key: "r", label: "key.annotate.why", run: () => /** @type {HTMLElement | null} */ (document.querySelector(".annotate .rationale"))?.focus() },
    { key: "u", label: "key.annotate.undo", run: undoOrRedo(-1) },
    { key: "U", label: "key.annotate.redo", run: undoOrRedo(1) },
    { key: "Ctrl ⏎", label: "key.annotate.done", isAnywhere: true, isPressed: (event) => (event.ctrlKey || event.metaKey) && event.key === "Enter" && !document.querySelector("dialog[open]"), run: () => void finish() },
  ], []);
}

// The panel.

/** @typedef {import("./session.js").Session} Session */

export { MarksAtRest } from "./tree_marks.js";

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
    ${!annotator.value ? html`<${NameForm} />` : of && html`<${Body} of=${of} />`}
  </section>`;
}

/** Show annotations in the tree while the panel is open. @param {Session | null} of */
function useMarks(of) {
  const there = grid.value;
  useLayoutEffect(() => { // the panel handles keys as soon as it is visible
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

/** Shows whether all annotations are stored. */
function Saved() {
  const from = sender.value;
  if (!from) return "";
  const [waiting, problem] = [from.waiting.value, from.trouble.value];
  const why = problem && waiting ? (problem.status === 0 || problem.status === 503 ? t("annotate.offline") : problem.message) : "";
  return html`<span class="saved ${waiting ? "waits" : ""} ${why ? "bad" : ""}" role="status" title=${why}>${waiting ? t("annotate.waiting", { n: waiting }) : t("annotate.saved")}${why && html`<span class="why"> · ${line(why, 80)}</span>`}</span>`;
}

/** The contents of the panel; its components get a counter as a prop, because a component with unchanged props is not rendered again. @param {{of: Session}} props */
function Body({ of }) {
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
