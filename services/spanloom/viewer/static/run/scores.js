/** Shows the evaluators' scores of a run or a step: value, reason, evidence, and whether the score is stale. */
import { number, t } from "../i18n/index.js";
import "../i18n/run_views.js";
import { link, ownProject } from "../state/place.js";
import { rowOf } from "../tree/outline.js";
import { html, line, Menu, visible } from "../ui/html.js";
import { scoresOf } from "../step/panel.js";
import { goTo } from "./notes.js";
import { view } from "./state.js";

/** @typedef {import("../records.js").ScoreItem} Score */

/** Maximum number of evidence steps that are named. */
const MOST_STEPS = 5;

/** Maximum number of runs whose scores are cached. */
const MOST_RUNS = 50;
/** Cached scores, by trace id. @type {Map<string, Score[]>} */
const kept = new Map();

/** Cache the scores of a run, and show them in its header and at its steps. @param {string} trace @param {Score[]} items */
export function keepScores(trace, items) {
  kept.delete(trace);
  kept.set(trace, items);
  if (kept.size > MOST_RUNS) kept.delete([...kept.keys()][0]);
  if (items.length || scoresOf.peek()) scoresOf.value = { Run: RunScores, Step: StepScores };
}

/** The scores of a run, in its header. @param {{trace: string}} props */
function RunScores({ trace }) {
  const list = (kept.get(trace) ?? []).filter((one) => one.target === "trajectory");
  if (!list.length) return "";
  const n = list.some((one) => one.stale) ? `${number(list.length)} ⟳` : number(list.length);
  return html`<${Menu} class="versions" label=${`${t("scores.title")} ${n} ▾`}><${Lines} list=${list} /><//>`;
}

/** The scores of a step, then other scores of the run that have the step as evidence. @param {{trace: string, id: string}} props */
function StepScores({ trace, id }) {
  const all = kept.get(trace) ?? [];
  const list = [...all.filter((one) => one.step_id === id), ...all.filter((one) => one.step_id !== id && one.evidence.some(({ step_id: shown }) => shown === id))];
  if (!list.length) return "";
  return html`<details class="scored"><summary>${t("scores.title")} ${number(list.length)}</summary><${Lines} list=${list} id=${id} /></details>`;
}

/** @param {{list: Score[], id?: string}} props `id`: the id of the displayed step, which is not listed as evidence */
const Lines = ({ list, id = "" }) => html`<ul class="scores">${list.map((one) => html`<li key=${one.score_id}><${ScoreLine} one=${one} id=${id} /></li>`)}</ul>`;

/** A score in a line, and its evidence. @param {{one: Score, id?: string}} props */
export function ScoreLine({ one, id = "" }) {
  const shown = one.status === "ok" ? String(one.value ?? "–") : `${one.status} ${one.error_code}`.trim();
  const steps = one.evidence.map((shows) => String(shows.step_id ?? "")).filter((step) => step && step !== id);
  return html`<i class="mark machine m-${one.passed === false ? "wrong" : one.passed ? "right" : "half"}" aria-hidden="true"></i> <bdi>${visible(one.author)}</bdi> · ${visible(one.name)} <b>${line(shown, 80)}</b> ${line(one.label, 80)} ${one.stale && html`<span class="stale" title=${t("scores.stale.means")}>⟳ ${t("scores.stale")}</span>`} <${Origin} of=${one} /> <span class="quiet">${line(one.rationale, 200)}</span><${Evidence} steps=${steps} />`;
}

/** The experiment or online rule that a score came from. @param {{of: Score}} props */
function Origin({ of: { experiment, rule_id: rule, project } }) {
  const name = experiment || rule;
  return name && html`<a href=${link(experiment ? "/experiments" : "/online-rules", { name, project: ownProject(project) })}><bdi>${line(name, 40)}</bdi></a>`;
}

/** A button for each step of evidence, which selects it. @param {{steps: string[]}} props */
function Evidence({ steps }) {
  const all = [...new Set(steps)];
  const o = view.value?.o;
  if (!o || !all.length) return "";
  return html`<span class="evidence"> ${t("scores.evidence")}: ${all.slice(0, MOST_STEPS).map((step) => {
    const i = rowOf(o, step);
    return i < 0 ? html`<code>${step}</code> ` : html`<button class="plain" title=${step} onClick=${() => goTo(i)}>${line(o.names[o.name[i]], 40) || step}</button> `;
  })}${all.length > MOST_STEPS && t("note.more", { n: all.length - MOST_STEPS })}</span>`;
}
