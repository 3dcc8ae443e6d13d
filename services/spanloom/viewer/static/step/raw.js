/** The span as sent: attributes, events, links, resource. */
import { t } from "../i18n/index.js";
import { useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { Value } from "./messages.js";
import { Copy } from "./text.js";

/** @typedef {{key: string, value: any}} Attribute an attribute of OTLP's JSON */

/** The plain value of a value in OTLP's JSON. @param {any} value @returns {unknown} */
export function plain(value) {
  if (!value || typeof value !== "object") return value;
  if ("arrayValue" in value) return (value.arrayValue.values ?? []).map(plain);
  if ("kvlistValue" in value) return Object.fromEntries((value.kvlistValue.values ?? []).map((/** @type {Attribute} */ one) => [one.key, plain(one.value)]));
  return Object.values(value)[0] ?? null;
}

/** @param {{path: string, project?: string}} props `path`: of the span in the API */
export function Raw({ path, project }) {
  const { data, error, again } = useFetched(path, { project });
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!data) return html`<p class="quiet">…</p>`;
  const resource = data.resourceSpans?.[0];
  const scope = resource?.scopeSpans?.[0];
  const span = scope?.spans?.[0] ?? {};
  return html`<p><${Copy} text=${JSON.stringify(data, null, 1)} label=${t("raw.copy")} /></p>
    <${Attributes} title=${t("raw.attributes")} list=${span.attributes} />
    ${(span.events ?? []).map((/** @type {any} */ event) => html`<${Attributes} title=${`${t("raw.event")} ${event.name}`} list=${event.attributes} />`)}
    ${(span.links ?? []).map((/** @type {any} */ one) => html`<${Attributes} title=${`${t("raw.link")} ${one.traceId}`} list=${one.attributes} />`)}
    <${Attributes} title=${t("raw.resource")} list=${resource?.resource?.attributes} />
    <p class="quiet">${t("raw.scope")} ${scope?.scope?.name} ${scope?.scope?.version}</p>`;
}

/** @param {{title: string, list?: Attribute[]}} props */
export function Attributes({ title, list = [] }) {
  return html`<h4>${title}</h4>${list.length ? html`<dl class="attributes">${list.map(({ key, value }) => {
    const one = plain(value);
    return html`<dt>${key}</dt><dd><${Value} text=${typeof one === "string" ? one : JSON.stringify(one)} /></dd>`;
  })}</dl>` : html`<p class="quiet">${t("raw.none")}</p>`}`;
}
