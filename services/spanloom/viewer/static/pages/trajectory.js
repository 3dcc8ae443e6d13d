/** One run: its structure, its times, and the texts of each step. */
import { useEffect } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { Header } from "../run/header.js";
import { Player } from "../run/player.js";
import { chosen, failure, grown, headed, load, lost, runPath, traceId, view } from "../run/state.js";
import { Tree } from "../run/tree.js";
import { Crumbs, viewOf, Views } from "../run/views.js";
import { AnnotateButton, Annotation } from "../annotate/door.js";
import { MOVED } from "../service.js";
import { FIRST_ERROR, place } from "../state/place.js";
import { StepPanel } from "../step/panel.js";
import { callBefore, spanId } from "../tree/outline.js";
import { Failure, Frame } from "../ui/frame.js";
import { html, line } from "../ui/html.js";
import { later } from "../ui/fetched.js";

const Transcript = later(async () => (await import("../run/transcript.js")).Transcript);
const Graph = later(async () => (await import("../run/graph.js")).Graph);
const Neighbours = later(async () => (await import("../run/neighbours.js")).Neighbours);
const Search = later(async () => (await import("../run/search.js")).Search);
const QueueBar = later(async () => (await import("../queues/bar.js")).QueueBar);

export function Page() {
  const { query } = place.value;
  const { project, version } = query;
  useEffect(() => {
    void load();
  }, [project, version]);
  const there = headed.value ? view.value : null;
  const title = there?.o.n ? line(there.o.names[there.o.name[0]], 60) : "";
  return html`<${Frame} title=${title} nav=${html`<${Neighbours} />`}>
    <main class="run">
      ${query.queue && html`<${QueueBar} trace=${traceId()} />`}
      ${failure.value ? html`<${Failure} error=${failure.value} again=${load} />` : html`<${Header} />`}
      ${there && html`<div class="bar-line"><${Views} />${viewOf() === "tree" && html`<${Crumbs} /><${Search} />`}<span class="room"></span><${AnnotateButton} /></div>
        <div class="halves"><div class="left"><${Left} /></div>
          <aside class="step ${query.annotate ? "annotating" : ""}" aria-label=${t("step.label")}><button class="to-tree" onClick=${() => document.querySelector(".halves")?.scrollIntoView()}>↑ ${t("tree.label")}</button><${Annotation} /><div class="chosen"><${Chosen} /></div></aside></div>`}
    </main>
  <//>`;
}

function Left() {
  const there = view.value;
  if (!there) return "";
  const on = viewOf();
  if (on === "transcript") return html`<${Transcript} />`;
  return html`<${Player} />${on === "graph" ? html`<${Graph} />` : html`<${Tree} view=${there} />`}`;
}

function Chosen() {
  const there = grown.value >= 0 ? view.value : null; // `view` stays the same object when it grows, so `grown` is also read
  const i = chosen.value;
  const { project, version, annotate } = place.value.query;
  if (!there || i < 0 || i >= there.o.n) return html`<p class="quiet">${t("step.choose")}</p>`;
  const { o } = there;
  const before = callBefore(o, i);
  return html`${lost.value && html`<p class="newer lost" role="status">${lost.value === FIRST_ERROR ? t("step.lost.error") : t("step.lost", { id: line(lost.value, 40) })}</p>`}<${StepPanel} path=${runPath()} id=${spanId(o, i)} name=${o.names[o.name[i]]} kind=${o.kinds[o.kind[i]]} project=${project} version=${version ?? (annotate ? String(o.version) : undefined)}
    before=${before < 0 ? "" : spanId(o, before)} isMoved=${(o.flags[i] & MOVED) > 0} o=${o} row=${i} />`;
}
