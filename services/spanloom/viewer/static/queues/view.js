/** The list of queues, and one queue with its items. */
import { t } from "../i18n/index.js";
import { none, RunLink, StateBar } from "../judging/parts.js";
import { ITEM_STATES } from "../choices.js";
import { annotator } from "../state/reader.js";
import { change, link, ownProject, place } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { NextButton } from "./next.js";
import { duration, percent } from "../format.js";
import { asError, part, useFetched, useRuns } from "../ui/fetched.js";
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { Failure, Refusal } from "../ui/frame.js";

// All queues, with the progress of each annotator.

/** @typedef {import("../records.js").ProgressItem} Progress */
/** @typedef {{mode: "assigned" | "free", order: "oldest" | "random" | "errors" | "disagreement"}} Kept how items are assigned to annotators */
/** A queue as returned by the service. @typedef {import("../records.js").QueueItem & Kept} Queue */

/** @param {{queues: Queue[]}} props */
export function QueueTable({ queues }) {
  const who = annotator.value;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("queues.title")}><table class="sheet-table queues stacked">
    <thead><tr><th>${t("queue.name")}</th><th>${t("queue.scheme")}</th><th>${t("queue.states")}</th><th>${t("queue.people")}</th><th class="number">${t("queue.overlap")}</th><td></td></tr></thead>
    <tbody>${queues.map((queue) => html`<tr key=${queue.project + queue.name}>
      <td><a href=${link("/queues", { queue: queue.name, project: ownProject(queue.project) })}><bdi>${line(queue.name, 60)}</bdi></a> <${Traits} queue=${queue} /></td>
      <td data-label=${t("queue.scheme")}><bdi>${visible(queue.scheme)}</bdi></td>
      <td data-label=${t("queue.states")}><${StateBar} states=${queue.states} items=${queue.items} /></td>
      <td data-label=${t("queue.people")}><${PeopleInShort} queue=${queue} who=${who} /></td>
      <td class="number" data-label=${t("queue.overlap")} title=${t("queue.overlap.means")}>${queue.overlap}</td>
      <td class="ends-here"><${NextButton} queue=${queue} /></td></tr>`)}</tbody></table></div>`;
}

/** The settings of a queue that differ from the defaults. @param {{queue: Queue}} props */
export function Traits({ queue }) {
  const traits = [queue.blind && t("queue.blind"), queue.mode === "free" && t("queue.free"), queue.living && t("queue.living")].filter(Boolean);
  return traits.length ? html`<span class="quiet">${traits.join(" · ")}</span>` : "";
}

/** @param {{queue: Queue, who: string}} props */
function PeopleInShort({ queue, who }) {
  const people = Object.entries(queue.progress);
  if (!people.length) return none();
  return html`<ul class="people">${people.map(([name, progress]) => html`<li class=${name === who ? "me" : ""}>
    <bdi>${visible(name)}</bdi> ${progress.done}/${progress.assigned}${queue.away.includes(name) ? ` (${t("queue.away")})` : ""}</li>`)}</ul>`;
}

// The runs in a queue, page by page, each with its progress and its annotators.

const PAGE = 50;

/** @typedef {import("../records.js").QueuedRun & {state: import("../judging/parts.js").State}} Item */

/** @param {{items: Item[], queue: Queue, project: string | undefined, reopen: (id: string) => void}} props */
export function Items({ items, queue, project, reopen }) {
  const { state, at } = place.value.query;
  const wanted = state ? items.filter((item) => item.state === state) : items;
  const first = Math.min(Number(at ?? 0), Math.max(0, wanted.length - 1));
  const shown = wanted.slice(first, first + PAGE);
  const runs = useRuns(shown.map((item) => item.trace_id), project);
  return html`<p class="across">${[undefined, ...ITEM_STATES].map((one) => {
      const count = one ? items.filter((item) => item.state === one).length : items.length;
      return (count > 0 || !one) && html`<button aria-pressed=${String(state === one)} onClick=${() => change({ state: one ?? null, at: null }, true)}>${one ? t(`item.${one}`) : t("item.all")} ${count}</button>`;
    })}</p>
    <div class="wide" tabindex="0" role="region" aria-label=${t("queue.items")}><table class="sheet-table stacked pairs">
      <thead><tr><th>${t("item.run")}</th><th>${t("item.state")}</th><th>${t("queue.people")}</th><th class="number" title=${t("item.alike.means")}>${t("item.alike")}</th><th class="number">${t("item.errors")}</th><td></td></tr></thead>
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

/** @param {{item: Item, queue: Queue, project: string | undefined, reopen: (id: string) => void}} props */
function Ways({ item, queue, project, reopen }) {
  const isOver = ["done", "to_adjudicate", "adjudicated"].includes(item.state);
  const isMine = item.done_by.includes(annotator.value);
  return html`${isMine && html`<button onClick=${() => reopen(item.trace_id)} title=${t("queue.reopen.means")}>${t("queue.reopen")}</button>`}
    ${isOver && html` <a class="button" href=${link("/adjudication", { queue: queue.name, scheme: queue.scheme, trace: item.trace_id, project })}>${t("adjudication.open")}</a>`}`;
}

// The page of a queue: its progress, in total and by annotator, and all its runs.

/** @param {{name: string, project: string | undefined}} props */
export function QueueView({ name, project }) {
  const path = `/v1/queues/${part(name)}`;
  const { data: queue, error, again } = useFetched(path, { project });
  const items = useFetched(`${path}/items`, { project });
  const [refused, setRefused] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const reload = () => { again(); items.again(); };
  /** @param {string} to @param {object} body @param {"POST" | "PUT"} [method] */
  const send = (to, body, method = "POST") => sendJson(method, path + to, body, { project }).then(
    () => { setRefused(null); reload(); }, (failed) => setRefused(asError(failed)));
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!queue) return "";
  /** @param {string} who */
  const turnAway = (who) => {
    const away = queue.away.includes(who) ? queue.away.filter((/** @type {string} */ one) => one !== who) : [...queue.away, who];
    void send("", { ...definition(queue), away }, "PUT");
  };
  return html`<p class="across"><${NextButton} queue=${queue} isMain=${true} />
      <a href=${link("/agreement", { queue: name, scheme: queue.scheme, project })}>${t("agreement.title")}</a>
      <a href=${link("/exchange", { queue: name, scheme: queue.scheme, project })}>${t("exchange.title")}</a>
      <a href=${link("/queues", { project })}>${t("queues.all")}</a></p>
    <${Refusal} error=${refused} />
    <${Facts} queue=${queue} />
    ${queue.instructions && html`<p class="instructions">${visible(queue.instructions)}</p>`}
    <h2>${t("queue.people")}</h2><${People} queue=${queue} turnAway=${turnAway} />
    <h2>${t("queue.items")}</h2>
    ${items.data && html`<${Items} items=${items.data.items} queue=${queue} project=${project} reopen=${(/** @type {string} */ id) => void send(`/items/${id}/reopen`, {})} />`}`;
}

/** A queue as a request that would change nothing. @param {Queue} queue */
function definition({ scheme, mode, annotators, each, blind, order, away, threshold, sample, where, living, instructions }) {
  return { scheme, mode, annotators, each, blind, order, away, threshold, sample, where, living, instructions };
}

/** @param {{queue: Queue}} props */
function Facts({ queue }) {
  const each = queue.mode === "free" ? t("queue.free") : t("queue.of", { n: queue.each });
  return html`<dl class="facts">
    <div><dt>${t("queue.scheme")}</dt><dd><a href=${link("/schemes", { scheme: queue.scheme })}><bdi>${visible(queue.scheme)}</bdi></a></dd></div>
    <div><dt>${t("queue.items")}</dt><dd>${queue.items}</dd></div>
    <div><dt>${t("queue.mode")}</dt><dd>${each}</dd></div>
    <div><dt>${t("queue.order")}</dt><dd>${t(`order.${queue.order}`)}</dd></div>
    <div title=${t("queue.overlap.means")}><dt>${t("queue.overlap")}</dt><dd>${queue.overlap}</dd></div>
    ${queue.threshold !== null && html`<div title=${t("queue.threshold")}><dt>${t("item.to_adjudicate")}</dt><dd>${`< ${percent(queue.threshold)}`}</dd></div>`}
    ${queue.sample > 0 && html`<div title=${t("queue.sample")}><dt>${t("queue.sample.short")}</dt><dd>${percent(queue.sample)}</dd></div>`}
    ${queue.living && html`<div><dt>${t("queue.living")}</dt><dd><code>${queue.where}</code></dd></div>`}
  </dl><p><${StateBar} states=${queue.states} items=${queue.items} /> <${Traits} queue=${queue} /></p>`;
}

/** The median duration of the items whose start is known, and the number of these items unless it is known for all. @param {{progress: Progress}} props */
function TimeForOne({ progress: { timed, done, median_seconds: median } }) {
  if (median === null) return html`<span title=${done ? t("person.time.none") : ""}>${none()}</span>`;
  const isAll = timed === done;
  return html`<span title=${isAll ? "" : t("person.time.of", { n: timed, done })}>${duration(median * 1000)}${isAll ? "" : html` <span class="quiet">(${timed}/${done})</span>`}</span>`;
}

/** @param {{queue: Queue, turnAway: (who: string) => void}} props */
function People({ queue, turnAway }) {
  const me = annotator.value;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("queue.people")}><table class="sheet-table stacked pairs">
    <thead><tr><th>${t("queue.person")}</th><th class="number">${t("person.assigned")}</th><th class="number">${t("person.done")}</th><th class="number">${t("person.time")}</th><th class="number" title=${t("person.gold.means")}>${t("person.gold")}</th><td></td></tr></thead>
    <tbody>${Object.entries(queue.progress).map(([who, progress]) => html`<tr key=${who} class=${who === me ? "me" : ""}>
      <td><bdi>${visible(who)}</bdi></td><td class="number" data-label=${t("person.assigned")}>${progress.assigned}</td><td class="number" data-label=${t("person.done")}>${progress.done}</td>
      <td class="number" data-label=${t("person.time")}><${TimeForOne} progress=${progress} /></td>
      <td class="number" data-label=${t("person.gold")}>${progress.gold ? html`<span title=${`${progress.gold.right} / ${progress.gold.answers}`}>${percent(progress.gold.right / progress.gold.answers)}</span>` : none()}</td>
      <td class="ends-here">${queue.annotators.includes(who) && html`<button aria-pressed=${String(queue.away.includes(who))} title=${t("queue.away.means")} onClick=${() => turnAway(who)}>${t("queue.away")}</button>`}</td></tr>`)}</tbody></table></div>`;
}
