/**
 * The parts of the page around a conversation's tree: its header, its navigation, and the panel of the selected
 * row.
 */
import { t } from "../i18n/index.js";
import { keepOrigin, origin, pageOf, stateOf } from "../list/run.js";
import { choose, chosen, grid, view } from "../run/state.js";
import { MOVED } from "../service.js";
import { DatasetButton } from "../ui/dialog_buttons.js";
import { html, visible } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { runsOf } from "./join.js";
import { areAll, conversationPath, pathOf, runs } from "./runs.js";
import { useMemo } from "../vendor/hooks.js";
import { clock, duration, moment, money, short } from "../format.js";
import { Copied, copyAddress, Errors, ExportButton } from "../run/views.js";
import { place } from "../state/place.js";
import { callBefore, spanId } from "../tree/outline.js";
import { later } from "../ui/fetched.js";

// Navigation between a conversation and the pages of its runs: links, and keys for them.

/** @typedef {import("../list/run.js").Run} Run */

const CONVERSATIONS = "/conversations";

/** The list from which the user came, also after opening runs; by default the list of conversations. */
function listBefore() {
  const { url, back = CONVERSATIONS } = origin(CONVERSATIONS);
  return /^.conversation\b/.test(url) ? back : url;
}

/** Make the pages of the runs link back here, and to each other. */
export function remember() {
  const all = (runs.peek() ?? []).map((run) => /** @type {[string, string]} */ ([run.trace_id, run.project]));
  keepOrigin({ url: location.pathname + location.search, runs: all, back: listBefore() });
}

/** Return a function that goes to the run before or after the run of the active row. @param {1 | -1} by */
const go = (by) => () => {
  const there = view.peek();
  if (!there) return;
  const of = runsOf(there.o);
  const shown = grid.peek();
  const now = shown?.active ?? chosen.peek();
  const at = of.at(now) + (shown && by < 0 && !of.isHead(now) ? 0 : by);
  if (at < 0 || at >= of.heads.length) return;
  if (shown) shown.select(of.heads[at]);
  else choose(of.heads[at]);
};

/** The run whose row is active, if the tree has the focus. @param {KeyboardEvent} event */
function runAt(event) {
  const there = grid.peek();
  if (!there || event.target !== there.host) return null;
  const of = runsOf(there.view.o);
  return of.isHead(there.active) ? of.part(there.active).run : null;
}

export function Navigation() {
  useKeys([
    { key: "Enter", label: "key.run.open", isPressed: (event) => event.key === "Enter" && runAt(event) !== null,
      run: (event) => { const run = runAt(event); if (run) { remember(); location.href = pageOf(run); } } },
    { key: "[", label: "key.run.before", run: go(-1) },
    { key: "]", label: "key.run.next", run: go(1) },
    { key: "y", label: "key.copy", run: copyAddress },
  ], []);
  return html`<nav class="neighbours" aria-label=${t("conversation.back")}><${Copied} /><a href=${listBefore()}>‹ ${t(/^.conversations/.test(listBefore()) ? "section.conversations" : "list.title")}</a></nav>`;
}

// The header of a conversation: number of runs, time range, and totals.

/** @param {Run[]} list */
function sums(list) {
  const of = (/** @type {(run: Run) => number} */ value) => list.reduce((sum, run) => sum + value(run), 0);
  const costs = list.filter((run) => run.cost !== null);
  return {
    busy: of((run) => Number(run.duration)), tin: of((run) => run.input_tokens), tout: of((run) => run.output_tokens), failures: of((run) => run.failures),
    spans: of((run) => run.span_count), cost: costs.length ? costs.reduce((sum, run) => sum + Number(run.cost), 0) : null, uncosted: list.length - costs.length,
    until: list.reduce((last, run) => Math.max(last, Number(run.started_at) + Number(run.duration)), 0),
  };
}

export function Header() {
  const list = runs.value;
  const total = useMemo(() => sums(list ?? []), [list]);
  const { id = "", project } = place.value.query;
  if (!list) return html`<header class="run-head"></header>`;
  const held = areAll.value ? "" : "held"; // reserves space for later values, so that nothing below moves when they arrive
  const user = list.find((run) => run.user_id)?.user_id;
  return html`<header class="run-head">
    <div class="title"><h1><bdi>${visible(id)}</bdi></h1>
      <span class="quiet">${moment(Number(list[0].started_at))}${areAll.value && ` – ${moment(total.until)}`}</span>
      <${ExportButton} path=${conversationPath()} params=${{ project }} name=${id.replace(/[^\p{L}\p{N}._-]+/gu, "-")} paper=${t("conversation.paper")} />
      ${areAll.value && html`<${DatasetButton} class="copy" sources=${list.map((run) => ({ trace: run.trace_id, project: run.project }))} />`}</div>
    <dl class="facts">
      <div class=${held}><dt>${t("conversation.runs")}</dt><dd>${list.length}</dd></div>
      ${user && html`<div><dt>${t("column.user")}</dt><dd><bdi>${visible(user)}</bdi></dd></div>`}
      <div class=${held} title=${t("conversation.busy.means")}><dt>${t("conversation.busy")}</dt><dd>${duration(total.busy)}</dd></div>
      <div class=${held} title=${`${total.tin} / ${total.tout}`}><dt>${t("metric.tokens")}</dt><dd>${short(total.tin)} / ${short(total.tout)}</dd></div>
      ${total.cost !== null && html`<div class=${held} title=${total.uncosted ? t("conversation.uncosted", { n: total.uncosted }) : ""}><dt>${t("column.cost")}</dt><dd>${total.uncosted ? "≥ " : ""}${money(total.cost)}</dd></div>`}
      <div class=${held}><dt>${t("column.spans")}</dt><dd>${short(total.spans)}</dd></div>
      <div class=${held}><dt>${t("column.errors")}</dt><dd><${Errors} n=${total.failures} /></dd></div>
    </dl></header>`;
}

// The panel of the selected row next to the tree: a step as on its run's page, or a summary of a run.

/** Preloaded after the first row, so that the first step opens at once. */
export const stepPanel = () => import("../step/panel.js");
const StepPanel = later(async () => (await stepPanel()).StepPanel);

export function Chosen() {
  const there = view.value;
  const i = chosen.value;
  if (!there || i < 0 || i >= there.o.n) return html`<p class="quiet">${t("step.choose")}</p>`;
  const of = runsOf(there.o);
  const { run, outline } = of.part(i);
  const own = of.own(i);
  if (own < 0 || !outline) return html`<${RunCard} run=${run} number=${of.at(i) + 1} />`;
  const before = callBefore(outline, own);
  return html`<p class="of-run"><a href=${pageOf(run, { step: spanId(outline, own) })} onClick=${remember}>#${of.at(i) + 1} <bdi>${visible(run.root_name || run.trace_id)}</bdi> ↗</a></p>
    <${StepPanel} path=${pathOf(run)} id=${spanId(outline, own)} name=${outline.names[outline.name[own]]} kind=${outline.kinds[outline.kind[own]]} project=${run.project}
      before=${before < 0 ? "" : spanId(outline, before)} isMoved=${(outline.flags[own] & MOVED) > 0} o=${outline} row=${own} />`;
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
    <div class="step-body">${run.question && html`<section class="said by-user"><h3>${t("step.input")}</h3><div class="text">${visible(run.question)}</div></section>`}
      ${run.answer && html`<section class="said by-assistant"><h3>${t("step.output")}</h3><div class="text">${visible(run.answer)}</div></section>`}</div></article>`;
}
