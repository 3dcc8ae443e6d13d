/** Alerts: the alerts that are firing now and why, earlier events, and the definitions of alerts. */
import { alerts as en } from "../i18n/en/alerts.js";
import { list as enList } from "../i18n/en/list.js";
import { learn, number, t } from "../i18n/index.js";
import { alerts as zh } from "../i18n/zh/alerts.js";
import { list as zhList } from "../i18n/zh/list.js";
import { useEffect } from "../vendor/hooks.js";
import { AlertView, conditionText, EXAMPLES, TRIED } from "../evaluation/alert.js";
import { FiresNow } from "../evaluation/alert_events.js";
import { Evaluation, Sheet } from "../evaluation/frame.js";
import { PutForm } from "../evaluation/put_form.js";
import { clock, moment } from "../format.js";
import { change, link, ownProject, place } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

/** @typedef {import("../records.js").AlertItem} Alert */

const LOOK_MS = 5000;
/** Maximum number of firing alerts whose runs are shown here. */
const MOST = 10;

export function Page() {
  const { name, project } = place.value.query;
  return html`<${Evaluation} title=${name ? visible(name) : t("evaluation.alerts")}>
    ${name ? html`<${AlertView} key=${name} name=${name} project=${project} />` : html`<${Alerts} project=${project} />`}<//>`;
}

/** @param {{project: string | undefined}} props */
function Alerts({ project }) {
  const { data, error, again } = useFetched("/v1/alerts", { project });
  const isNew = Boolean(place.value.query.new);
  useEffect(() => {
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  /** @type {Alert[]} */
  const alerts = (data?.items ?? []).toSorted((/** @type {Alert} */ one, /** @type {Alert} */ other) => Number(other.firing > 0) - Number(one.firing > 0));
  const firing = alerts.filter((one) => one.firing > 0);
  return html`${error && html`<${Failure} error=${error} again=${again} />`}
    <p class="across"><button class=${isNew ? "" : "main"} aria-expanded=${String(isNew)} onClick=${() => change({ new: isNew ? null : "1" }, true)}>${t("alerts.new")}</button>
      <span class="quiet">${t(data && !alerts.length ? "alerts.none" : "alerts.about")}</span></p>
    ${isNew && html`<${PutForm} path="/v1/alerts" names=${alerts.map((one) => one.name)} first=${JSON.stringify(EXAMPLES.runs, null, 2)} examples=${EXAMPLES} project=${project} label=${t("alert.text")} tried=${TRIED}
      done=${(/** @type {string} */ made) => change({ new: null, name: made }, true)} close=${() => change({ new: null })} />`}
    ${alerts.length > 0 && html`<h2>${t("alerts.now")}</h2><p role="status">${firing.length ? t("alerts.firing", { n: firing.length }) : html`<span class="fine">✓ ${t("alerts.quiet")}</span>`}</p>`}
    ${firing.slice(0, MOST).map((one) => html`<${FiresNow} key=${one.name} of=${one} project=${project} />`)}
    ${alerts.length > 0 && html`<h2>${t("alerts.all.of")}</h2><${Sheet} label=${t("evaluation.alerts")} class="alerts">
      <thead><tr><th>${t("put.name")}</th><th>${t("alert.fires")}</th><th>${t("alert.asks")}</th><th>${t("alert.severity")}</th><th>${t("alert.channels")}</th><th>${t("alert.changed")}</th></tr></thead>
      <tbody>${alerts.map((one) => html`<${Row} key=${one.name} of=${one} />`)}</tbody><//>`}`;
}

/** @param {{of: Alert}} props */
function Row({ of }) {
  const { name, project, firing, severity, channels, paused, put_at: at, put_by: by } = of;
  const none = html`<span class="none">–</span>`;
  return html`<tr><td><a href=${link("/alerts", { name, project: ownProject(project) })}><bdi>${line(name, 60)}</bdi></a>${paused && html` <span class="odd">${t("alert.paused")}</span>`}</td>
    <td data-label=${t("alert.fires")}>${firing ? html`<b class="wrong">● ${number(firing)}</b>` : none}</td><td data-label=${t("alert.asks")}><code>${line(conditionText(of), 100)}</code></td>
    <td data-label=${t("alert.severity")}>${severity ? line(severity, 40) : none}</td><td data-label=${t("alert.channels")}>${channels.length ? channels.map((one) => visible(String(one.kind))).join(", ") : none}</td>
    <td data-label=${t("alert.changed")} title=${moment(Number(at))}><span>${clock(Number(at))} <span class="quiet"><bdi>${line(by, 40)}</bdi></span></span></td></tr>`;
}
