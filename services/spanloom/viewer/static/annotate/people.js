/**
 * Annotations by other annotators and of earlier versions: steps on which people differ, conflicts between two windows,
 * and changed steps.
 */
import { useEffect, useMemo } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { ScoreLine } from "../run/scores.js";
import { only } from "../run/state.js";
import { change, place } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { reload, session } from "./current.js";
import { fieldName, isStepwise, shapeOf, worded } from "./scheme.js";
import { isMachine } from "./tree_marks.js";
import { confirm, go, here, toTree } from "./deeds.js";
import { LongText } from "../step/text.js";
import { isEmpty } from "./marks.js";
import { useStepTexts } from "./pieces.js";

// Steps on which annotators differ: counts them, filters the tree to them, and goes from one to the next.

/** @typedef {import("./session.js").Session} Session */

/** If others judged more steps than this, the count is not updated whenever this annotator judges a step. */
const MANY = 5000;

/** Whether people, including this annotator, judge the current step differently. @param {Session} of @param {string} at */
export function isDisputed(of, at) {
  const rows = (of.others.get(at) ?? []).filter((row) => !isMachine(row.origin) && row.state !== "changed" && row.correctness);
  const own = of.own.get(at);
  const judgements = new Set(rows.map((row) => row.correctness));
  if (own?.mark.correctness && own.state !== "changed") judgements.add(own.mark.correctness);
  return judgements.size > 1;
}

/** The rows of the outline on which people differ. @param {Session} of */
export function disputed(of) {
  const rows = [];
  for (const at of of.others.keys()) {
    const i = at ? of.steps.row(at) : -1;
    if (i >= 0 && isDisputed(of, at)) rows.push(i);
  }
  return rows.sort((a, b) => a - b);
}

/** Go to the next step on which people differ; after the last such step, to the first. */
export function toDisputed() {
  const of = session.peek();
  if (!of) return;
  const rows = disputed(of);
  go(rows.find((i) => i > here()) ?? rows[0] ?? -1);
  toTree();
}

/** The filter for steps on which people differ. These steps are computed when the filter is switched on and when other people's annotations arrive, so no step disappears while it is judged. @param {{of: Session}} props */
export function Differing({ of }) {
  const isOn = place.value.query.differ === "1";
  const rows = useMemo(() => disputed(of), [of, of.others, of.others.size > MANY || of.turn.value]);
  useEffect(() => {
    only.value = isOn && of.isLoaded ? Uint8Array.from({ length: of.view.o.n }) : null;
    for (const i of rows) if (only.value) only.value[i] = 1;
    return () => { only.value = null; };
  }, [isOn, of, of.others]);
  if (!isStepwise(of.scheme) || (!rows.length && !isOn)) return "";
  return html`<p class="across"><button aria-pressed=${String(isOn)} title=${t("differ.means")} onClick=${() => change({ differ: isOn ? null : "1" })}>${t("differ", { n: rows.length })}</button>
    <button disabled=${!rows.length} onClick=${toDisputed}>${t("differ.next")} <kbd>d</kbd></button></p>`;
}

// Shows other people's annotations of the same step, a column for each person, and scores by evaluators.

const FIELDS = /** @type {const} */ (["error_type", "error_subtype", "severity", "rationale"]);

/** @param {{of: Session, at: string}} props */
export function People({ of, at }) {
  if (!isStepwise(of.scheme)) return html`<${OfTheRun} of=${of} turn=${of.turn.value} />`;
  const rows = of.others.get(at) ?? [];
  const scores = of.scores.get(at) ?? [];
  return html`<${Withheld} n=${of.withheld} />
    ${rows.length > 0 && html`<div class="people" role="region" aria-label=${t("people.label")} tabindex="0"><table>
      <thead><tr><th><span class="sr">${t("people.field")}</span></th>${rows.map((row) => html`<th><bdi>${visible(row.annotator)}</bdi></th>`)}</tr></thead>
      <tbody><tr><th>${fieldName("correctness")}</th>${rows.map((row) => html`<td><i class="mark m-${shapeOf(of.scheme, row.correctness)} ${isMachine(row.origin) ? "machine" : ""}" aria-hidden="true"></i> ${visible(worded(row.correctness || "–"))}${row.state === "changed" && html` <span class="quiet">${t("people.changed")}</span>`}</td>`)}</tr>
      ${FIELDS.filter((field) => rows.some((row) => row[field])).map((field) => html`<tr><th>${fieldName(field)}</th>${rows.map((row) => html`<td>${line(field === "rationale" ? row[field] : worded(row[field]), 400)}</td>`)}</tr>`)}</tbody></table></div>`}
    ${scores.length > 0 && html`<ul class="scores" aria-label=${t("people.scores")}>${scores.map((one) => html`<li><${ScoreLine} one=${one} id=${at} /></li>`)}</ul>`}`;
}

/** @param {{n: number}} props */
const Withheld = ({ n }) => (n > 0 ? html`<p class="quiet withheld">${t("people.withheld", { n })}</p>` : "");

/** Shows other people's annotations of the whole run. @param {{of: Session}} props */
function OfTheRun({ of }) {
  const rows = of.others.get("") ?? [];
  const members = [...new Set(rows.flatMap((row) => Object.keys(row.value).filter((name) => typeof row.value[name] === "string")))];
  if (!members.length) return html`<${Withheld} n=${of.withheld} />`;
  return html`<${Withheld} n=${of.withheld} /><div class="people" role="region" aria-label=${t("people.label")} tabindex="0"><table>
    <thead><tr><th><span class="sr">${t("people.field")}</span></th>${rows.map((row) => html`<th><bdi>${visible(row.annotator)}</bdi></th>`)}</tr></thead>
    <tbody>${members.map((name) => html`<tr><th>${fieldName(name)}</th>${rows.map((row) => html`<td>${shown(of, row.value[name] ?? "")}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** A value as text; for the id of a step, the name of the step. @param {Session} of @param {unknown} value */
function shown({ steps, view }, value) {
  const i = steps.row(String(value));
  return i < 0 ? line(String(value), 400) : html`<button class="plain" onClick=${() => go(i)}>${line(view.o.names[view.o.name[i]], 40)}</button>`;
}

// Writes that could not be stored: another window changed the same field, or the service refuses the write.

/** @typedef {import("./writes.js").Write} Write */

/** @param {{of: Session}} props */
export function Unsettled({ of }) {
  const { list } = of.sender.writes;
  return html`${list.filter((one) => one.state === "held").map((write) => html`<${Clashing} key=${write.id} of=${of} turn=${of.turn.value} write=${write} />`)}
    ${list.filter((one) => one.state === "refused").map((write) => html`<${Refused} key=${write.id} of=${of} turn=${of.turn.value} write=${write} />`)}`;
}

/** @param {{of: Session, write: Write}} props */
function Clashing({ of, write }) {
  const settle = (/** @type {boolean} */ isMine) => () => {
    of.sender.settle(write, isMine);
    void reload();
  };
  return html`<section class="clash" role="alert"><p>${t("clash.title")} <${StepLink} of=${of} turn=${of.turn.value} write=${write} /></p>
    <table><thead><tr><td></td><th>${t("clash.mine")}</th><th>${t("clash.theirs")}</th></tr></thead><tbody>
      ${write.clashes.map(({ field, mine, theirs }) => html`<tr><th>${fieldName(field.replace("value.", ""))}</th><td>${inWords(mine)}</td><td>${inWords(theirs)}</td></tr>`)}</tbody></table>
    <p><button onClick=${settle(true)}>${t("clash.keep.mine")}</button> <button onClick=${settle(false)}>${t("clash.keep.theirs")}</button></p></section>`;
}

/** @param {{of: Session, write: Write}} props */
function Refused({ of, write }) {
  const discard = () => {
    of.sender.discard(write);
    void reload();
  };
  return html`<section class="clash" role="alert"><p>${t("refused.title")} <${StepLink} of=${of} turn=${of.turn.value} write=${write} /></p><p>${visible(write.why)}</p>
    <p>${t("refused.way")}</p>
    <p><button onClick=${() => of.sender.again(write)}>${t("refused.again")}</button> <button onClick=${discard}>${t("clash.keep.theirs")}</button></p></section>`;
}

/** @param {{of: Session, write: Write}} props */
function StepLink({ of, write }) {
  const i = of.steps.row(write.step);
  if (i < 0) return write.step ? html`<code>${write.step}</code>` : "";
  return html`<button class="plain" onClick=${() => go(i)}>${line(of.view.o.names[of.view.o.name[i]], 40)}</button>`;
}

/** @param {unknown} value */
const inWords = (value) => (value ? line(typeof value === "string" ? worded(value) : JSON.stringify(value), 300) : "–");

// The state of annotations after a change of the run: the step has other texts, has moved, or no longer exists.

/** @typedef {import("./session.js").Slot} Slot */

/** @param {{of: Session, at: string}} props */
export function Changed({ of, at }) {
  const slot = of.own.get(at);
  if (!slot?.row || isEmpty(slot.mark)) return "";
  if (slot.state === "moved") return html`<p class="note">${t("states.moved")} <span class="quiet">${visible(slot.row.reason)}</span></p>`;
  return slot.state === "changed" ? html`<${OldAndNew} key=${at} of=${of} turn=${of.turn.value} slot=${slot} />` : "";
}

/** @param {{of: Session, slot: Slot}} props */
function OldAndNew({ of, slot }) {
  const before = useStepTexts(of, slot.step, slot.row.version);
  const now = useStepTexts(of, slot.at);
  const fields = /** @type {const} */ (["input", "output"]).filter((field) => before && now && before[field] !== now[field]);
  return html`<section class="note"><p>${t("states.changed", { version: slot.row.version })} <button class="main" onClick=${() => confirm(of, slot.at)}>${t("states.right")}</button></p>
    ${fields.map((field) => html`<div class="beside"><div><h4>${t(`step.${field}`)}, v${slot.row.version}</h4><${LongText} text=${before?.[field] ?? ""} /></div><div><h4>v${of.context.version}</h4><${LongText} text=${now?.[field] ?? ""} /></div></div>`)}
    ${!fields.length && html`<p class="quiet">${line(slot.row.quote, 200)}</p>`}</section>`;
}

/** Shows annotations whose step no longer exists; they are not deleted. @param {{of: Session}} props */
export function Orphans({ of }) {
  if (!of.orphans.length) return "";
  return html`<details class="orphans" open><summary>${t("states.orphans", { n: of.orphans.length })}</summary><ul>${of.orphans.map(({ row, mark }) => html`<li>
    <b>${visible(worded(mark.correctness || "–"))}</b> ${[mark.error_type, mark.severity].filter(Boolean).map(worded).join(", ")} <q>${line(row.quote, 160)}</q>
    <span class="quiet">${visible(row.reason)}</span>${mark.rationale && html`<br />${line(mark.rationale, 300)}`}</li>`)}</ul></details>`;
}
