/** All queues, with the progress of each annotator. */
import { t } from "../i18n/index.js";
import { none, StateBar } from "../judging/parts.js";
import { annotator } from "../state/reader.js";
import { link } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { NextButton } from "./next.js";

/** @typedef {import("../records.js").ProgressItem} Progress */
/** @typedef {{mode: "assigned" | "free", order: "oldest" | "random" | "errors" | "disagreement"}} Kept how items come to annotators */
/** A queue as returned by the service. @typedef {import("../records.js").QueueItem & Kept} Queue */

/** @param {{queues: Queue[]}} props */
export function QueueTable({ queues }) {
  const who = annotator.value;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("queues.title")}><table class="sheet-table queues stacked">
    <thead><tr><th>${t("queue.name")}</th><th>${t("queue.scheme")}</th><th>${t("queue.states")}</th><th>${t("queue.people")}</th><th class="number">${t("queue.overlap")}</th><th></th></tr></thead>
    <tbody>${queues.map((queue) => html`<tr key=${queue.project + queue.name}>
      <td><a href=${link("/queues", { queue: queue.name, project: projectOf(queue) })}><bdi>${line(queue.name, 60)}</bdi></a> <${Traits} queue=${queue} /></td>
      <td data-label=${t("queue.scheme")}><bdi>${visible(queue.scheme)}</bdi></td>
      <td data-label=${t("queue.states")}><${StateBar} states=${queue.states} items=${queue.items} /></td>
      <td data-label=${t("queue.people")}><${People} queue=${queue} who=${who} /></td>
      <td class="number" data-label=${t("queue.overlap")} title=${t("queue.overlap.means")}>${queue.overlap}</td>
      <td class="ends-here"><${NextButton} queue=${queue} /></td></tr>`)}</tbody></table></div>`;
}

/** The project of a queue in addresses: none for the default one. @param {Queue} queue */
export const projectOf = (queue) => (queue.project === "default" ? undefined : queue.project);

/** The unusual settings of a queue. @param {{queue: Queue}} props */
export function Traits({ queue }) {
  const traits = [queue.blind && t("queue.blind"), queue.mode === "free" && t("queue.free"), queue.living && t("queue.living")].filter(Boolean);
  return traits.length ? html`<span class="quiet">${traits.join(" · ")}</span>` : "";
}

/** @param {{queue: Queue, who: string}} props */
function People({ queue, who }) {
  const people = Object.entries(queue.progress);
  if (!people.length) return none();
  return html`<ul class="people">${people.map(([name, progress]) => html`<li class=${name === who ? "me" : ""}>
    <bdi>${visible(name)}</bdi> ${progress.done}/${progress.assigned}${queue.away.includes(name) ? ` (${t("queue.away")})` : ""}</li>`)}</ul>`;
}
