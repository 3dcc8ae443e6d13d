/** Shown instead of the list while there are no runs: where to send spans, example runs, and whether spans arrived. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { clock } from "../format.js";
import { learn, t } from "../i18n/index.js";
import { start as en } from "../i18n/en/start.js";
import { start as zh } from "../i18n/zh/start.js";
import { follow } from "../state/follow.js";
import { coded, html } from "../ui/html.js";
import { Examples } from "./examples.js";
import { Recipes } from "./recipes.js";
import { load } from "./runs.js";

learn({ en, zh });

/** The URL of a port on this page's host. @param {number} port */
const addressOf = (port) => `${location.protocol}//${location.hostname}:${port}`;

export function NothingYet() {
  const [service, setService] = useState(/** @type {{otlp_http_port: number | null, otlp_grpc_port: number | null} | null} */ (null));
  useEffect(() => { getJson("/v1/service").then(setService, () => {}); }, []);
  const { otlp_http_port: http, otlp_grpc_port: grpc } = service ?? { otlp_http_port: null, otlp_grpc_port: null };
  return html`<section class="notice start">
    <h2>${t("empty.yet")}</h2>
    <${First} />
    ${http !== null && html`<${Examples} />`}
    ${http !== null && html`<${Recipes} endpoint=${addressOf(http)} />
      <p class="quiet">${t("empty.yet.http")} <code>${addressOf(http)}</code> ${grpc !== null && html`${t("empty.yet.grpc")} <code>${addressOf(grpc)}</code>`}</p>
      <p class="quiet">${t("start.more")} <code>spanloom instrument --endpoint ${addressOf(http)}</code>, <code>spanloom doctor</code></p>`}
    ${service && http === null && html`<p>${coded(t("empty.yet.elsewhere"))}</p>`}
  </section>`;
}

/** Waits for the first span, and shows when it arrived. */
function First() {
  const [at, setAt] = useState(0);
  useEffect(() => follow({}, () => setAt((known) => known || Date.now()), () => {}), []);
  return html`<p class="first-span ${at ? "came" : ""}" role="status">${at ? html`${t("empty.yet.came", { time: clock(at) })} <button onClick=${load}>${t("empty.yet.show")}</button>` : t("empty.yet.waiting")}</p>`;
}
