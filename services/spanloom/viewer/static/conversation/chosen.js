/** The panel of the selected row next to the tree: a step as on its run's page, or a summary of a run. */
import { clock, duration, moment, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { chosen, view } from "../run/state.js";
import { pageOf, stateOf } from "../list/run.js";
import { ExportButton } from "../run/views.js";
import { callBefore, MOVED, spanId } from "../tree/outline.js";
import { html, visible } from "../ui/html.js";
import { later } from "../ui/fetched.js";
import { runsOf } from "./forest.js";
import { pathOf } from "./runs.js";
import { remember } from "./navigation.js";

/** @typedef {import("../list/run.js").Run} Run */

/** Preloaded after the first row, so that the first step opens at once. */
export const stepPanel = () => import("../step/panel.js");
const StepPanel = later(async () => (await stepPanel()).StepPanel);

export function Chosen() {
  const there = view.value;
  const i = chosen.value;
  if (!there || i < 0 || i >= there.o.n) return html`<p class="quiet">${t("step.choose")}</p>`;
  const runs = runsOf(there.o);
  const { run, outline } = runs.part(i);
  const own = runs.own(i);
  if (own < 0 || !outline) return html`<${RunCard} run=${run} number=${runs.at(i) + 1} />`;
  const before = callBefore(outline, own);
  return html`<p class="of-run"><a href=${pageOf(run, { step: spanId(outline, own) })} onClick=${remember}>#${runs.at(i) + 1} <bdi>${visible(run.root_name || run.trace_id)}</bdi> ↗</a></p>
    <${StepPanel} path=${pathOf(run)} id=${spanId(outline, own)} name=${outline.names[outline.name[own]]} kind=${outline.kinds[outline.kind[own]]} project=${run.project}
      before=${before < 0 ? "" : spanId(outline, before)} isMoved=${(outline.flags[own] & MOVED) > 0} />`;
}

/** @param {{run: Run, number: number}} props */
function RunCard({ run, number }) {
  const { state, sign, words } = stateOf(run);
  const at = Number(run.started_at);
  /** @type {[string, string | number][]} */
  const facts = [
    [t("metric.wall"), duration(Number(run.duration))], [t("metric.tokens"), `${short(run.input_tokens)} / ${short(run.output_tokens)}`],
    ...(run.cost === null ? [] : [/** @type {[string, string]} */ ([t("column.cost"), money(run.cost)])]), [t("column.errors"), run.failures], [t("column.spans"), run.span_count],
  ];
  return html`<article class="run-card"><header class="step-head"><h2><span class="quiet">#${number}</span> <span class="state s-${state}" title=${words}>${sign}</span> <bdi>${visible(run.root_name || run.trace_id)}</bdi></h2>
      <p class="ids"><span>${words}</span> <time title=${moment(at)}>${clock(at)}</time> <code>${run.trace_id}</code></p>
      <dl class="facts">${facts.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>
      <p><a class="button" href=${pageOf(run)} onClick=${remember}>${t("conversation.open")} <kbd>↵</kbd></a> <${ExportButton} paper="" path=${pathOf(run)} params=${{ project: run.project }} /></p></header>
    <div class="step-body">${run.question && html`<section class="said by-user"><h4>${t("step.input")}</h4><div class="text">${visible(run.question)}</div></section>`}
      ${run.answer && html`<section class="said by-assistant"><h4>${t("step.output")}</h4><div class="text">${visible(run.answer)}</div></section>`}</div></article>`;
}
