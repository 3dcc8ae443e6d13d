/** The keys of the annotator. The letters of the form are in the form, because they work only there. */
import { chosen } from "../run/state.js";
import { useKeys } from "../ui/frame.js";
import { session } from "./current.js";
import { say, sayBranch, turnBack } from "./deeds.js";
import { toDisputed } from "./differing.js";
import { asksMore, isStepwise } from "./scheme.js";
import { finish, go, here, toForm, toNext } from "./walk.js";

/** The digit that is pressed, from 1, independent of the layout with Shift; 0 for none. @param {KeyboardEvent} event */
const digitOf = (event) => Number(/^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] ?? (/^[1-9]$/.test(event.key) ? event.key : 0));

/** @param {KeyboardEvent} event */
const isPlain = (event) => !event.ctrlKey && !event.metaKey && !event.altKey;

/** Judge a step. If it is right, select the next one; otherwise the form asks for more. @param {number} digit */
function judge(digit) {
  const of = session.peek();
  const i = here();
  const option = of?.scheme.correctness_options[digit - 1];
  if (!of || !option || !of.steps.isStep(i)) return;
  say(of, of.steps.id(i), { correctness: option });
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
  sayBranch(of, here(), option);
}

/** Mark the decisive step of a failure. */
function decide() {
  const of = session.peek();
  if (!of || of.scheme.annotation_type !== "failure_attribution" || !of.steps.isStep(here())) return;
  say(of, "", { value: { decisive_step: of.steps.id(here()) } });
}

/** @param {1 | -1} way */
const turn = (way) => () => {
  const of = session.peek();
  const at = of && turnBack(of, way);
  if (of && at) go(of.steps.row(at));
};

export function useAnnotationKeys() {
  const isOfSteps = () => { const of = session.peek(); return of ? isStepwise(of.scheme) : false; };
  useKeys([
    { key: "1 … 9", says: "key.annotate.judge", isPressed: (event) => isPlain(event) && !event.shiftKey && digitOf(event) > 0, run: (event) => judge(digitOf(event)) },
    { key: "⇧ 1 … 9", says: "key.annotate.branch", isPressed: (event) => isPlain(event) && event.shiftKey && digitOf(event) > 0 && isOfSteps(), run: (event) => judgeBranch(digitOf(event)) },
    { key: "!", says: "key.annotate.decide", run: decide },
    { key: "n", says: "key.annotate.next", run: toNext },
    { key: "d", says: "key.annotate.differ", run: toDisputed },
    { key: "r", says: "key.annotate.why", run: () => /** @type {HTMLElement | null} */ (document.querySelector(".annotate .rationale"))?.focus() },
    { key: "u", says: "key.annotate.undo", run: turn(-1) },
    { key: "U", says: "key.annotate.redo", run: turn(1) },
    { key: "Ctrl ⏎", says: "key.annotate.done", isAnywhere: true, isPressed: (event) => (event.ctrlKey || event.metaKey) && event.key === "Enter" && !document.querySelector("dialog[open]"), run: () => void finish() },
  ], []);
}
