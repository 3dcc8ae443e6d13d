/** One queue: its progress, in total and by annotator, and every run in it. */
import { useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { duration, percent } from "../format.js";
import { t } from "../i18n/index.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { none, StateBar } from "../judging/parts.js";
import { Failure, Refusal } from "../ui/frame.js";
import { annotator } from "../state/reader.js";
import { link } from "../state/place.js";
import { html, visible } from "../ui/html.js";
import { Items } from "./items.js";
import { Traits } from "./list.js";
import { NextButton } from "./next.js";

/** @typedef {import("./list.js").Queue} Queue */

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

/** The median of the items whose beginning is known, with their number if it is not all. @param {{progress: import("./list.js").Progress}} props */
function TimeForOne({ progress: { timed, done, median_seconds: median } }) {
  if (median === null) return html`<span title=${done ? t("person.time.none") : ""}>${none()}</span>`;
  const isAll = timed === done;
  return html`<span title=${isAll ? "" : t("person.time.of", { n: timed, done })}>${duration(median * 1000)}${isAll ? "" : html` <span class="quiet">(${timed}/${done})</span>`}</span>`;
}

/** @param {{queue: Queue, turnAway: (who: string) => void}} props */
function People({ queue, turnAway }) {
  const me = annotator.value;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("queue.people")}><table class="sheet-table stacked pairs">
    <thead><tr><th>${t("queue.person")}</th><th class="number">${t("person.assigned")}</th><th class="number">${t("person.done")}</th><th class="number">${t("person.time")}</th><th class="number" title=${t("person.gold.means")}>${t("person.gold")}</th><th></th></tr></thead>
    <tbody>${Object.entries(queue.progress).map(([who, progress]) => html`<tr key=${who} class=${who === me ? "me" : ""}>
      <td><bdi>${visible(who)}</bdi></td><td class="number" data-label=${t("person.assigned")}>${progress.assigned}</td><td class="number" data-label=${t("person.done")}>${progress.done}</td>
      <td class="number" data-label=${t("person.time")}><${TimeForOne} progress=${progress} /></td>
      <td class="number" data-label=${t("person.gold")}>${progress.gold ? html`<span title=${`${progress.gold.right} / ${progress.gold.answers}`}>${percent(progress.gold.right / progress.gold.answers)}</span>` : none()}</td>
      <td class="ends-here">${queue.annotators.includes(who) && html`<button aria-pressed=${String(queue.away.includes(who))} title=${t("queue.away.means")} onClick=${() => turnAway(who)}>${t("queue.away")}</button>`}</td></tr>`)}</tbody></table></div>`;
}
