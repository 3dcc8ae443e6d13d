/** The list of a service without runs: where to send spans, and when the first came. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { clock } from "../format.js";
import { t } from "../i18n/index.js";
import { follow } from "../state/follow.js";
import { coded, html } from "../ui/html.js";
import { load } from "./runs.js";

/** The address of a port of this service. @param {number} port */
const addressOf = (port) => `${location.protocol}//${location.hostname}:${port}`;

/** The variables that an exporter reads. @param {string} address */
const linesFor = (address) => `export OTEL_EXPORTER_OTLP_ENDPOINT=${address}\nexport OTEL_SERVICE_NAME=my-agents`;

export function NothingYet() {
  const [service, setService] = useState(/** @type {{otlp_http_port: number | null, otlp_grpc_port: number | null} | null} */ (null));
  useEffect(() => { getJson("/v1/service").then(setService, () => {}); }, []);
  const { otlp_http_port: http, otlp_grpc_port: grpc } = service ?? { otlp_http_port: null, otlp_grpc_port: null };
  return html`<section class="notice">
    <h2>${t("empty.yet")}</h2>
    ${http !== null && html`<p>${t("empty.yet.do")}</p><${Lines} text=${linesFor(addressOf(http))} />
      <p class="quiet">${t("empty.yet.http")}${grpc !== null && html` ${t("empty.yet.grpc")} <code>${addressOf(grpc)}</code>`}</p>
      <p class="quiet">${coded(t("empty.yet.more"))} <code>spanloom instrument --endpoint ${addressOf(http)}</code>, <code>spanloom doctor</code></p>`}
    ${service && http === null && html`<p>${coded(t("empty.yet.elsewhere"))}</p>`}
    <${First} />
  </section>`;
}

/** @param {{text: string}} props */
function Lines({ text }) {
  const [isCopied, setCopied] = useState(false);
  return html`<pre><code>${text}</code></pre>
    <p><button class="main" onClick=${() => navigator.clipboard.writeText(text).then(() => setCopied(true))}>${isCopied ? t("copied") : t("copy")}</button></p>`;
}

/** Waits for the first span, and tells when it came. */
function First() {
  const [at, setAt] = useState(0);
  useEffect(() => follow({}, () => setAt((known) => known || Date.now()), () => {}), []);
  return html`<p class="first-span ${at ? "came" : ""}" role="status">${at ? html`${t("empty.yet.came", { time: clock(at) })} <button onClick=${load}>${t("empty.yet.show")}</button>` : t("empty.yet.waiting")}</p>`;
}
