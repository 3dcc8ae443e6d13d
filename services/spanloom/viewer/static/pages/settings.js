/** The service: its version, its findings, models without a price, projects and keys. */
import { settings as en } from "../i18n/en/settings.js";
import { learn, t } from "../i18n/index.js";
import { settings as zh } from "../i18n/zh/settings.js";
import { Keys } from "../settings/keys.js";
import { Projects } from "../settings/projects.js";
import { Refused } from "../settings/refused.js";
import { link, place } from "../state/place.js";
import { zone } from "../state/range.js";
import { useFetched } from "../ui/fetched.js";
import { Frame } from "../ui/frame.js";
import { coded, html, line } from "../ui/html.js";

learn({ en, zh });

/** A finding of `GET /v1/doctor`. @typedef {{name: string, status: string, found: string, todo: string}} Finding */

export function Page() {
  return html`<${Frame} title=${t("section.settings")}>
    <main class="judge settings" tabindex="-1"><h1>${t("section.settings")}</h1><${Service} /><${Diagnosis} /><${Unpriced} /><${Projects} /><${Keys} /></main><//>`;
}

function Service() {
  const { data, error } = useFetched("/v1/service");
  return html`<h2>${t("settings.service")}</h2><${Refused} error=${error} needs=${t("settings.needs.read")} />
    ${data && html`<dl class="facts"><div><dt>${t("settings.version")}</dt><dd>${data.version}</dd></div>
      ${[["otlp_http_port", "OTLP/HTTP"], ["otlp_grpc_port", "OTLP/gRPC"], ["sql_port", "SQL"]].map(([field, name]) => data[field] && html`<div><dt>${name}</dt><dd><code>${location.protocol}//${location.hostname}:${data[field]}</code></dd></div>`)}
      <div><dt>${t("settings.zone")}</dt><dd>${zone()}</dd></div></dl>`}`;
}

/** The warnings and problems that `spanloom doctor` finds. */
function Diagnosis() {
  const { data, error } = useFetched("/v1/doctor");
  /** @type {Finding[]} */
  const findings = data?.findings ?? [];
  const wrong = findings.filter((one) => one.status !== "ok" && one.status !== "skipped");
  return html`<h2>${t("settings.doctor")}</h2><${Refused} error=${error} />
    ${data && (wrong.length ? html`<div class="wide"><table class="sheet-table"><tbody>${wrong.map((one) => html`<tr><th scope="row" class=${one.status === "failed" ? "wrong" : "odd"}>${one.name}</th><td>${coded(line(one.found, 1000))}</td><td>${coded(line(one.todo, 1000))}</td></tr>`)}</tbody></table></div>`
      : html`<p class="fine">${t("settings.fine", { n: findings.length })}</p>`)}`;
}

/** Models with token usage and without a known price. */
function Unpriced() {
  const { project } = place.value.query;
  const where = "type = model and tokens > 0 and not cost exists";
  const { data, error } = useFetched("/v1/stats", { project, of: "steps", by: "model", metrics: "count", where, top: 20 });
  return html`<h2>${t("settings.unpriced")}</h2><${Refused} error=${error} needs=${t("settings.needs.read")} />
    ${data && (data.items.length ? html`<p class="quiet">${t("settings.unpriced.do")}</p><ul>${data.items.map((/** @type {{model: string | null, count: number}} */ one) => html`<li><a href=${link("/steps", { project, where: `${where}${one.model ? ` and model = ${JSON.stringify(one.model)}` : ""}` })}><bdi>${line(one.model ?? t("settings.unnamed"), 80)}</bdi></a> ${t("graph.calls", { n: one.count })}</li>`)}</ul>`
      : html`<p class="fine">${t("settings.priced")}</p>`)}`;
}
