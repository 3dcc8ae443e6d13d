/** The runs of a queue, page by page: the progress of each and its annotators. */
import { percent } from "../format.js";
import { t } from "../i18n/index.js";
import { useRuns } from "../ui/fetched.js";
import { none, RunLink, STATES } from "../judging/parts.js";
import { annotator } from "../state/reader.js";
import { change, link, place } from "../state/place.js";
import { html, visible } from "../ui/html.js";

const PAGE = 50;

/** @typedef {import("../records.js").QueuedRun & {state: import("../judging/parts.js").State}} Item */

/** @param {{items: Item[], queue: import("./list.js").Queue, project: string | undefined, reopen: (id: string) => void}} props */
export function Items({ items, queue, project, reopen }) {
  const { state, at } = place.value.query;
  const wanted = state ? items.filter((item) => item.state === state) : items;
  const first = Math.min(Number(at ?? 0), Math.max(0, wanted.length - 1));
  const shown = wanted.slice(first, first + PAGE);
  const runs = useRuns(shown.map((item) => item.trace_id), project);
  return html`<p class="across">${[undefined, ...STATES].map((one) => {
      const count = one ? items.filter((item) => item.state === one).length : items.length;
      return (count > 0 || !one) && html`<button aria-pressed=${String(state === one)} onClick=${() => change({ state: one ?? null, at: null }, true)}>${one ? t(`item.${one}`) : t("item.all")} ${count}</button>`;
    })}</p>
    <div class="wide" tabindex="0" role="region" aria-label=${t("queue.items")}><table class="sheet-table stacked pairs">
      <thead><tr><th>${t("item.run")}</th><th>${t("item.state")}</th><th>${t("queue.people")}</th><th class="number" title=${t("item.alike.means")}>${t("item.alike")}</th><th class="number">${t("item.errors")}</th><th></th></tr></thead>
      <tbody>${shown.map((item) => html`<tr key=${item.trace_id}>
        <td><${RunLink} id=${item.trace_id} run=${runs[item.trace_id]} project=${project} queue=${queue.name} scheme=${queue.scheme} />${item.gold && html` <span class="quiet" title=${t("item.gold.means")}>${t("item.gold")}</span>`}</td>
        <td class=${`i-${item.state}`} data-label=${t("item.state")}>${t(`item.${item.state}`)}</td>
        <td data-label=${t("queue.people")}><span>${item.annotators.map((who) => html`<span class="done-by"><bdi>${visible(who)}</bdi>${item.done_by.includes(who) ? html`<span title=${t("item.done")}>\u00a0✓</span>` : ""}</span> `)}</span></td>
        <td class="number" data-label=${t("item.alike")}>${item.alike === null ? none() : percent(item.alike)}</td><td class="number" data-label=${t("item.errors")}>${item.failures || none()}</td>
        <td class="ends-here"><${Ways} item=${item} queue=${queue} project=${project} reopen=${reopen} /></td></tr>`)}</tbody></table></div>
    ${wanted.length > PAGE && html`<nav class="pager" aria-label=${t("pages")}><button disabled=${first === 0} onClick=${() => change({ at: String(Math.max(0, first - PAGE)) }, true)}>‹</button>
      <span>${first + 1}–${first + shown.length} / ${wanted.length}</span>
      <button disabled=${first + PAGE >= wanted.length} onClick=${() => change({ at: String(first + PAGE) }, true)}>›</button></nav>`}`;
}

/** @param {{item: Item, queue: import("./list.js").Queue, project: string | undefined, reopen: (id: string) => void}} props */
function Ways({ item, queue, project, reopen }) {
  const isOver = ["done", "to_adjudicate", "adjudicated"].includes(item.state);
  const isMine = item.done_by.includes(annotator.value);
  return html`${isMine && html`<button onClick=${() => reopen(item.trace_id)} title=${t("queue.reopen.means")}>${t("queue.reopen")}</button>`}
    ${isOver && html` <a class="button" href=${link("/adjudication", { queue: queue.name, scheme: queue.scheme, trace: item.trace_id, project })}>${t("adjudication.open")}</a>`}`;
}
