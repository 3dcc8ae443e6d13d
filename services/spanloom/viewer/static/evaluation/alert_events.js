/** The events of an alert, current and earlier; each links to its run at the steps of evidence. */
import { useEffect } from "../vendor/hooks.js";
import { clock, moment } from "../format.js";
import { t } from "../i18n/index.js";
import { link, ownProject, place } from "../state/place.js";
import { part, useFetched } from "../ui/fetched.js";
import { Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { Pager } from "../ui/pager.js";
import { Sheet } from "./frame.js";

/** @typedef {import("../records.js").AlertItem} Alert */
/** @typedef {import("../records.js").AlertEventItem} Event */

/** Maximum number of firing events on the list of alerts, and on the page of an alert. */
const FEW = 5;
const MANY = 50;
const STEPS = 4;

/** @param {Record<string, unknown> | null | undefined} group */
export const groupInWords = (group) => Object.entries(group ?? {}).map(([name, value]) => `${name} = ${visible(String(value ?? "–"))}`).join(", ");

/** @param {{of: Event, project: string | undefined}} props */
function What({ of, project }) {
  if (!of.trace_id) return html`<span>${groupInWords(of.group) || t("alert.number")}${of.value !== null && html` <b>${Number(of.value.toPrecision(4))}</b> <span class="quiet">${t("alert.limit", { value: of.threshold ?? "–", window: of.window ?? "" })}</span>`}</span>`;
  const at = (/** @type {string} */ step) => link(`/trajectories/${of.trace_id}`, { project: project ?? ownProject(of.project), step });
  return html`<span><a href=${at(of.evidence[0]?.step_id ?? "")}><bdi>${line(of.name || of.trace_id, 60)}</bdi></a> ${of.question && html`<span class="quiet"><bdi>${line(of.question, 80)}</bdi></span>`}</span>`;
}

/** Shows why an event was resolved, or links to the steps that are its evidence. @param {{of: Event, project: string | undefined}} props */
function Why({ of, project }) {
  if (of.reason) return html`<span>${reasonInWords(of.reason)}</span>`;
  if (!of.trace_id || !of.evidence.length) return html`<span class="none">–</span>`;
  const at = (/** @type {string} */ step) => link(`/trajectories/${of.trace_id}`, { project: project ?? ownProject(of.project), step });
  return html`<span class="evidence">${of.evidence.slice(0, STEPS).map((one) => html`<a key=${one.step_id} class="k-${one.type}" href=${at(one.step_id)}><span class="kind">${one.type}</span> <bdi>${line(one.name, 40)}</bdi></a> `)}${of.evidence.length > STEPS && html`<span class="quiet">${t("alert.more", { n: of.evidence.length - STEPS })}</span>`}</span>`;
}

/** Why an event was resolved, in words. @param {Record<string, unknown>} reason */
function reasonInWords(reason) {
  if (reason.duplicate_of) return t("alert.because.repeat");
  if (reason.deleted) return t("alert.because.deleted");
  if (reason.version) return t("alert.because.version", { version: Number(reason.version) });
  return visible(JSON.stringify(reason));
}

/** @param {{of: Alert, project: string | undefined, isOwn?: boolean}} props `isOwn`: whether it is shown on the page of the alert */
export function FiresNow({ of, project, isOwn = false }) {
  const own = project ?? ownProject(of.project);
  const most = isOwn ? MANY : FEW;
  const { data, error, again } = useFetched(`/v1/alerts/${part(of.name)}/events`, { project: own, state: "firing", current: "true", limit: most });
  useEffect(again, [of.firing]);
  /** @type {Event[]} */
  const events = data?.items ?? [];
  return html`<section class="fires">${!isOwn && html`<h3><a href=${link("/alerts", { name: of.name, project: own })}><bdi>${line(of.name, 60)}</bdi></a> <span class="quiet">${visible(of.severity)}</span></h3>`}<${Refusal} error=${error} />
    <ul>${events.map((one) => html`<li key=${one.id}><span class="quiet" title=${moment(Number(one.at))}>${clock(Number(one.at))}</span> <${What} of=${one} project=${project} /> <${Why} of=${one} project=${project} /></li>`)}</ul>
    ${of.firing > most && html`<p class="quiet">${t("alert.more", { n: of.firing - most })}</p>`}</section>`;
}

const TONES = { firing: "wrong", resolved: "fine", withdrawn: "odd" };

/** All events of an alert, newest first. @param {{of: Alert, project: string | undefined}} props */
export function Events({ of, project }) {
  const { cursor, at } = place.value.query;
  const { data, error, again } = useFetched(`/v1/alerts/${part(of.name)}/events`, { project, cursor, limit: MANY });
  useEffect(again, [of.firing]);
  /** @type {Event[]} */
  const events = data?.items ?? [];
  const lost = events.flatMap((one) => one.deliveries).filter((one) => one.state === "undelivered").length;
  return html`<${Refusal} error=${error} />${data && !events.length && html`<p class="quiet">${t("alert.events.none")}</p>`}
    ${lost > 0 && html`<p class="wrong" role="status">⚠ ${t("alert.undelivered.n", { n: lost })}</p>`}
    ${events.length > 0 && html`<${Sheet} label=${t("alert.events")} class="events"><thead><tr><th>${t("alert.at")}</th><th>${t("alert.state")}</th><th>${t("alert.what")}</th><th>${t("alert.why")}</th><th>${t("alert.told")}</th></tr></thead>
      <tbody>${events.map((one) => html`<tr key=${`${one.id} ${one.number}`}><td title=${moment(Number(one.at))}>${clock(Number(one.at))}</td><td data-label=${t("alert.state")} class=${TONES[/** @type {"firing"} */ (one.state)]}>${t(/** @type {"alert.is.firing"} */ (`alert.is.${one.state}`))}</td>
        <td data-label=${t("alert.what")}><${What} of=${one} project=${project} /></td><td data-label=${t("alert.why")}><${Why} of=${one} project=${project} /></td><td data-label=${t("alert.told")}><${Deliveries} of=${one.deliveries} /></td></tr>`)}</tbody><//>
      ${(data.next_cursor || cursor) && html`<${Pager} at=${Number(at ?? 0)} n=${events.length} page=${events.length} next=${data.next_cursor} />`}`}`;
}

/** Lists the deliveries of an event, each with its state. @param {{of: import("../records.js").AlertDelivery[]}} props */
function Deliveries({ of }) {
  if (!of.length) return html`<span class="none">–</span>`;
  return html`<ul class="told">${of.map((one) => html`<li key=${one.channel} class=${one.state === "undelivered" ? "wrong" : ""} title=${visible(one.error)}>${t(/** @type {"alert.told.delivered"} */ (`alert.told.${one.state}`))} <span class="quiet">${line(one.channel, 60)}</span>${one.error && html` <span>${line(one.error, 80)}</span>`}</li>`)}</ul>`;
}
