/** Projects: their stored data, limits and retention, and how to change limits and retention. */
import { bytes, clock } from "../format.js";
import { number, t } from "../i18n/index.js";
import { link } from "../state/place.js";
import { useFetched } from "../ui/fetched.js";
import { coded, html, line } from "../ui/html.js";
import { Refused } from "./refused.js";

/** Retention periods in days; 0 means that data never expires. @typedef {{spans_days: number, trajectories_days: number}} Terms */
/** 0 means no limit. @typedef {{spans_per_s: number, bytes_per_s: number, stored_bytes: number}} Limits */
/** @typedef {{project: string, runs: number, newest_start: string | null, stored_bytes: number | null, limits: Limits | null, retention: Terms | null}} Project */

const MOST = 200;
const COLUMNS = /** @type {const} */ (["name", "runs", "newest", "stored", "limits", "kept"]);
const NUMBERS = new Set(["runs", "stored"]);

export function Projects() {
  const { data, error, again } = useFetched("/v1/projects");
  /** @type {Project[]} */
  const items = data?.items ?? [];
  return html`<h2>${t("settings.projects")}</h2><${Refused} error=${error} needs=${t("settings.needs.read")} again=${again} />
    ${data && (items.length ? html`<div class="wide"><table class="sheet-table projects"><thead><tr>${COLUMNS.map((name) => html`<th class=${NUMBERS.has(name) ? "number" : ""}>${t(`project.column.${name}`)}</th>`)}</tr></thead>
        <tbody>${items.slice(0, MOST).map((one) => html`<${Row} key=${one.project} of=${one} />`)}</tbody></table></div>` : html`<p class="quiet">${t("settings.projects.none")}</p>`)}
    ${items.length > MOST && html`<p class="quiet">${coded(t("settings.projects.more", { n: items.length - MOST }))}</p>`}
    ${data && html`<h2>${t("settings.retention")}</h2><${Retention} of=${data.retention} />`}`;
}

/** @param {{of: Project}} props */
function Row({ of: { project, runs, newest_start: newest, stored_bytes: stored, limits, retention } }) {
  return html`<tr><th scope="row"><a href=${link("/", { project })}><bdi>${line(project, 60)}</bdi></a></th><td class="number">${number(runs)}</td>
    <td>${newest === null ? "–" : clock(Number(newest))}</td><td class="number">${stored === null ? "–" : size(stored)}</td>
    <td>${limits ? bound(limits) : "–"}</td><td>${retention ? kept(retention) : "–"}</td></tr>`;
}

/** @param {number} value */
const size = (value) => (value < 1e9 ? bytes(value) : `${(value / 1e9).toFixed(1)} GB`);

/** @param {Limits} limits */
function bound({ spans_per_s: spans, bytes_per_s: rate, stored_bytes: stored }) {
  const all = [spans && t("project.limit.spans", { n: spans }), rate && `${size(rate)}/s`, stored && t("project.limit.stored", { size: size(stored) })];
  return all.filter(Boolean).join(", ") || t("project.limit.none");
}

/** @param {number} days */
const during = (days) => (days ? t("retention.days", { n: days }) : t("retention.ever"));

/** @param {Terms} terms */
function kept({ spans_days: spans, trajectories_days: runs }) {
  return spans === runs ? during(runs) : t("retention.both", { spans: during(spans), runs: during(runs) });
}

/** @param {{of: (Terms & {keeps_annotated: boolean}) | null}} props */
function Retention({ of: terms }) {
  if (!terms) return html`<p class="quiet">${coded(t("retention.elsewhere"))}</p>`;
  return html`<p>${t("retention.of", { kept: kept(terms) })} ${t(terms.keeps_annotated ? "retention.annotated" : "retention.all")}</p>
    <p class="quiet">${coded(t("retention.how"))}</p>`;
}
