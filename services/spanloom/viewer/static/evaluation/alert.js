/** The page of an alert: its condition, its channels, the events that are firing now, and all its events. */
import { useEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { ALERT_MEMBERS } from "../choices.js";
import { number, t } from "../i18n/index.js";
import { change, link, ownProject } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { clock, moment } from "../format.js";
import { Events, FiresNow, groupInWords } from "./alert_events.js";
import { definitionOf, PutForm, textOf } from "./put_form.js";

/** @typedef {import("../records.js").AlertItem} Alert */
/** @typedef {import("../records.js").Run} Run */
/** The response of `POST /v1/alerts/test`. @typedef {{fired: number, of: number, waits_for_settled: boolean, runs: Run[], windows: {start: string, group: Record<string, unknown> | null, value: number, count: number}[]}} Tried */

export const EXAMPLES = {
  runs: { where: "has(tool = 'refund') and not has(tool = 'verify' then tool = 'refund')", channels: [{ kind: "webhook", url: "https://hooks.example.com/agents" }], severity: "critical" },
  number: { metric: "rate(error)", of: "steps", where: "type = tool", by: "name", window: "15m", above: 0.2, at_least: 20, channels: [] },
};

/** The condition of an alert, in a line. @param {Alert} alert */
export function conditionText({ where, metric, of, by, window, above, below }) {
  if (!metric) return where ?? "";
  const limit = above === null ? `< ${below}` : `> ${above}`;
  return [`${metric} ${limit}`, window && `/ ${window}`, of, by && t("alert.by", { by }), where && `(${where})`].filter(Boolean).join(" ");
}

/** Tries an alert without storing it. */
export const TRIED = { path: "/v1/alerts/test", get label() { return t("alert.try"); }, show: (/** @type {Tried} */ answer) => html`<${TriedAlert} of=${answer} />` };

/** @param {{of: Tried}} props */
function TriedAlert({ of: { fired, of, runs, windows, waits_for_settled: waits } }) {
  return html`<p><b>${t("alert.tried", { n: fired, of })}</b>${waits && ` ${t("alert.settled")}`}</p>
    ${runs.length > 0 && html`<ul class="tried">${runs.slice(0, 10).map((run) => html`<li key=${run.trace_id}><a href=${link(`/trajectories/${run.trace_id}`, { project: ownProject(run.project) })}><bdi>${line(run.root_name || run.trace_id, 60)}</bdi></a> <span class="quiet">${clock(Number(run.started_at))} <bdi>${line(run.question, 80)}</bdi></span></li>`)}</ul>`}
    ${windows.length > 0 && html`<ul class="tried">${windows.slice(0, 10).map((one) => html`<li key=${one.start + JSON.stringify(one.group)}>${clock(Number(one.start))}: <b>${Number(one.value.toPrecision(4))}</b> <span class="quiet">${groupInWords(one.group)} ${t("alert.of", { n: number(one.count) })}</span></li>`)}</ul>`}`;
}

const LOOK_MS = 5000;

/** @param {{name: string, project: string | undefined}} props */
export function AlertView({ name, project }) {
  const path = `/v1/alerts/${part(name)}`;
  const { data: alert, error, again } = useFetched(path, { project });
  const [refused, setRefused] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [isWriting, setWriting] = useState(false);
  useEffect(() => {
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (error && !alert) return html`<${Failure} error=${error} again=${again} />`;
  if (!alert) return html`<p class="quiet">…</p>`;
  const definition = definitionOf(alert, ALERT_MEMBERS);
  const pause = () => sendJson("PUT", path, { ...definition, paused: !alert.paused }, { project }).then(() => { setRefused(null); again(); }, (why) => setRefused(asError(why)));
  const remove = () => { if (confirm(t("alert.delete.sure", { name }))) sendJson("DELETE", path, {}, { project }).then(() => change({ name: null }, true), (why) => setRefused(asError(why))); };
  return html`<p class="across"><button onClick=${pause}>${t(alert.paused ? "alert.resume" : "alert.pause")}</button><button aria-expanded=${String(isWriting)} onClick=${() => setWriting(!isWriting)}>${t("alert.change")}</button>
      <button onClick=${remove}>${t("alert.delete")}</button><a href=${link("/alerts", { project })}>${t("alerts.all")}</a></p>
    <${Refusal} error=${refused ?? error} />${alert.paused && html`<p class="odd" role="status">⚠ ${t("alert.paused.means")}</p>`}
    <dl class="facts"><div><dt>${t("alert.asks")}</dt><dd><code>${visible(conditionText(alert))}</code></dd></div>${alert.severity && html`<div><dt>${t("alert.severity")}</dt><dd>${visible(alert.severity)}</dd></div>`}
      ${alert.repeat_after && html`<div><dt>${t("alert.repeat")}</dt><dd>${visible(alert.repeat_after)}</dd></div>`}
      <div><dt>${t("alert.channels")}</dt><dd>${alert.channels.length ? alert.channels.map((/** @type {Record<string, string>} */ one, /** @type {number} */ i) => html`${i > 0 && ", "}${visible(one.kind)} <code>${line(one.url, 80)}</code>`) : t("alert.channels.none")}</dd></div>
      <div title=${moment(Number(alert.put_at))}><dt>${t("alert.version")}</dt><dd>${alert.version} <span class="quiet">${clock(Number(alert.put_at))} <bdi>${line(alert.put_by, 40)}</bdi></span></dd></div></dl>
    ${alert.waits_for_settled && html`<p class="quiet">${t("alert.settled")}</p>`}
    ${isWriting && html`<${PutForm} path="/v1/alerts" name=${name} first=${textOf(definition)} project=${project} label=${t("alert.text")} tried=${TRIED} done=${() => { setWriting(false); again(); }} close=${() => setWriting(false)} />`}
    <h2>${t("alerts.now")}</h2>${alert.firing ? html`<${FiresNow} of=${alert} project=${project} isOwn />` : html`<p class="fine">✓ ${t("alert.quiet")}</p>`}
    <h2>${t("alert.events")}</h2><${Events} of=${alert} project=${project} />`;
}
