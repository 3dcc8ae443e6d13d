/** The graph of the selected run; a graph of the conversation would have no edges between runs (ADR 42). */
import { useEffect } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { Graph } from "../run/graph.js";
import { choose, chosen, turns, view } from "../run/state.js";
import { html, line } from "../ui/html.js";
import { runsOf } from "./join.js";
import { fetchRun } from "./state.js";
import { pathOf } from "./runs.js";

export function RunGraph() {
  const there = view.value;
  const at = there && turns.value >= 0 ? runsOf(there.o).at(Math.max(0, chosen.value)) : -1;
  useEffect(() => { if (at >= 0) void fetchRun(at); }, [at]);
  if (!there || at < 0) return "";
  const { heads, parts, n } = runsOf(there.o);
  const { run, outline } = parts[at];
  const source = outline ? { path: pathOf(run), project: run.project, version: outline.version, first: heads[at] + 1, end: heads[at + 1] ?? n } : null;
  /** @param {Event} event */
  const turn = (event) => choose(heads[Number(/** @type {HTMLSelectElement} */ (event.target).value)]);
  return html`<p class="of-graph"><button aria-label=${t("key.run.before")} title="[" disabled=${at === 0} onClick=${() => choose(heads[at - 1])}>‹</button>
      <select aria-label=${t("conversation.graph.of")} value=${at} onChange=${turn}>${parts.map((one, k) => html`<option value=${k} selected=${k === at}>#${k + 1} ${line(one.run.question || one.run.root_name, 60)}</option>`)}</select>
      <button aria-label=${t("key.run.next")} title="]" disabled=${at + 1 === parts.length} onClick=${() => choose(heads[at + 1])}>›</button></p>
    <${Graph} key=${run.trace_id} source=${source} />`;
}
