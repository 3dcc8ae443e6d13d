/** Small components that the pages for team annotation share. */
import { t } from "../i18n/index.js";
import { clock, duration, percent } from "../format.js";
import { stateOf } from "../list/run.js";
import { ITEM_STATES } from "../choices.js";
import { link } from "../state/place.js";
import { html, line } from "../ui/html.js";

export const none = () => html`<span class="none">–</span>`;

/** @typedef {typeof ITEM_STATES[number]} State */

/** The progress of the items of a queue, as a bar and in words. @param {{states: Record<string, number>, items: number}} props */
export function StateBar({ states, items }) {
  const there = ITEM_STATES.filter((state) => states[state]);
  const words = there.map((state) => `${states[state]} ${t(`item.${state}`)}`).join(", ");
  return html`<span class="progress"><progress max=${items || 1} value=${(states.done ?? 0) + (states.to_adjudicate ?? 0) + (states.adjudicated ?? 0)} aria-label=${words}></progress>
    <span>${words || t("queue.empty")}</span></span>`;
}

/**
 * A link to a run, with its name and state.
 * @param {{id: string, run?: import("../list/run.js").Run, project?: string, queue?: string, step?: string, scheme?: string}} props
 */
export function RunLink({ id, run, project, queue, step, scheme }) {
  const href = link(`/trajectories/${id}`, { project, queue, annotate: scheme, step });
  const known = run && stateOf(run);
  return html`${known && html`<span class="state s-${known.state}" title=${known.words}>${known.sign}<span class="sr"> ${known.words}</span></span> `}
    <a href=${href}><bdi>${run ? line(run.root_name || id, 60) : id.slice(0, 12)}</bdi></a>
    ${run && html` <span class="quiet">${clock(Number(run.started_at))} · ${duration(Number(run.duration))}</span>`}`;
}

/** The reason why a measure has no value, in the language of the page if the reason is known. @param {string} reason as the service reports it */
function reasonOf(reason) {
  if (reason.startsWith("no unit was judged")) return t("reason.nothing");
  return reason.startsWith("all answers are the same") ? t("reason.one") : reason;
}

/** The value of a measure, or the reason why there is none. @param {{figure: {value: number | null, reason: string}, asShare?: boolean}} props */
export function Figure({ figure, asShare = false }) {
  if (figure.value === null) return html`<span class="undefined">${t("agreement.undefined")}<span class="reason">${reasonOf(figure.reason)}</span></span>`;
  return html`<b>${asShare ? percent(figure.value) : figure.value.toFixed(3)}</b>`;
}
