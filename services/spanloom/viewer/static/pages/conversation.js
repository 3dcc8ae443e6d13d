/** The page of a conversation: its runs in one tree, a timeline, a transcript, and a graph for each run. */
import { conversation as en } from "../i18n/en/conversation.js";
import { learn, t } from "../i18n/index.js";
import { conversation as zh } from "../i18n/zh/conversation.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { Chosen, Header, Navigation, stepPanel } from "../conversation/header.js";
import { Finder } from "../conversation/finding.js";
import { headsOf, Words } from "../conversation/heads.js";
import { areAll, failure, loadRuns, runs } from "../conversation/runs.js";
import "../conversation/state.js";
import { Player } from "../run/player.js";
import { view } from "../run/state.js";
import { Tree } from "../run/tree.js";
import { Crumbs, viewOf, Views } from "../run/views.js";
import { place } from "../state/place.js";
import { Failure, Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { later } from "../ui/fetched.js";

learn({ en, zh });

/** Delay in milliseconds after the first row, so that the row does not wait for these modules. */
const IDLE_MS = 400;
const Transcript = later(async () => (await import("../conversation/transcript.js")).Transcript);
const RunGraph = later(async () => (await import("../conversation/graph.js")).RunGraph);

/** @param {import("../tree/grid.js").Grid} made */
function wordsOf(made) {
  made.heads = headsOf(made.view);
  made.warmest = (runs.peek() ?? []).reduce((most, run) => Math.max(most, run.input_tokens + run.output_tokens), 1);
  return new Words(made);
}

export function Page() {
  const { id = "", project } = place.value.query;
  useEffect(() => (id ? void loadRuns() : location.replace("/conversations")), [id, project]);
  const there = view.value;
  useEffect(() => {
    if (there) void stepPanel();
  }, [!there]);
  return html`<${Frame} title=${id} nav=${html`<${Navigation} />`}>
    <main class="run talk">
      ${failure.value && !areAll.value ? html`<${Failure} error=${failure.value} again=${loadRuns} />` : html`<${Header} />`}
      ${there && html`<${IdleParts} />`}
      ${there && html`<div class="bar-line"><${Views} />${viewOf() === "tree" && html`<${Crumbs} /><${Finder} />`}</div>
        <div class="halves"><div class="left"><${Left} there=${there} /></div>
          <aside class="step" aria-label=${t("step.label")}><div class="chosen"><${Chosen} /></div></aside></div>`}
    </main>
  <//>`;
}

/** Annotations and newer runs; loaded when the page is idle. */
function IdleParts() {
  const [parts, setParts] = useState(/** @type {(() => any)[]} */ ([]));
  useEffect(() => {
    const timer = setTimeout(() => void Promise.all([import("../conversation/idle.js"), import("../conversation/idle.js")])
      .then(([{ Newer }, { Marks }]) => setParts([Newer, Marks])), IDLE_MS);
    return () => clearTimeout(timer);
  }, []);
  return parts.map((Part) => html`<${Part} />`);
}

/** @param {{there: import("../tree/view.js").View}} props */
function Left({ there }) {
  const on = viewOf();
  if (on === "transcript") return html`<${Transcript} />`;
  return html`<${Player} />${on === "graph" ? html`<${RunGraph} />` : html`<${Tree} view=${there} words=${wordsOf} />`}`;
}
