/** The differences between two sets of runs; each number opens its runs. */
import { duration, money, percent, short } from "../format.js";
import { t } from "../i18n/index.js";
import { link } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { Sheet } from "./frame.js";
import { Drawing, signed } from "./interval.js";

/** A feature or metric that changed, as returned by `POST /v1/compare`. @typedef {{feature: string, kind: "share" | "number", a: number, b: number, difference: number, low: number, high: number, p_holm: number, n_a: number, n_b: number, runs_a: string, runs_b: string, words: string}} Difference */
/** @typedef {{feature: string, runs: number, line: string}} Only */
/** @typedef {{runs: number, clusters: number, question: string}} Side */
/** @typedef {{a: Side, b: Side, differences: Difference[], no_difference_shown: number, only_a: Only[], only_b: Only[], remarks: string[]}} Behaviour */

const TIMES = new Set(["duration", "model_time", "tool_time", "first_token"]);
/** With fewer runs in a set than this, no difference is shown. */
const FEW = 8;

/** The format of a feature's values. @param {Difference} of @returns {(value: number) => string} */
function shownOf({ kind, feature }) {
  if (kind === "share") return percent;
  if (TIMES.has(feature)) return duration;
  if (feature === "cost") return money;
  return (value) => (value >= 1000 ? short(value) : value.toFixed(2));
}

/** @param {{of: Behaviour}} props */
export function Differences({ of }) {
  const isFew = Math.min(of.a.runs, of.b.runs) < FEW;
  return html`<dl class="facts"><${SetOf} name=${t("compare.a")} of=${of.a} /><${SetOf} name=${t("compare.b")} of=${of.b} /></dl>
    ${of.remarks.filter((one) => !isFew || !one.startsWith("nothing is named")).map((one) => html`<p class="odd">⚠ ${visible(one)}</p>`)}
    ${isFew ? html`<p class="odd">⚠ ${t("compare.few", { n: FEW })}</p>` : html`<h2>${t("compare.differences", { n: of.differences.length })}</h2>
    ${of.differences.length > 0 && html`<p class="quiet">${t("compare.read")}</p><${Table} of=${of.differences} />`}
    <p>${t(of.differences.length ? "compare.others" : "compare.nothing", { n: of.no_difference_shown })}</p>`}
    <${OnlyIn} title=${t("compare.only.a")} of=${of.only_a} /><${OnlyIn} title=${t("compare.only.b")} of=${of.only_b} />`;
}

/** @param {{name: string, of: Side}} props */
const SetOf = ({ name, of: { runs, clusters, question } }) => html`<div><dt>${name}</dt><dd><a href=${link("/", { where: question })}>${t("list.count", { n: runs })}</a>${clusters !== runs && ` · ${t("compare.clusters", { n: clusters })}`}</dd></div>`;

/** @param {{of: Difference[]}} props */
function Table({ of }) {
  return html`<${Sheet} label=${t("compare.differences", { n: of.length })} class="differences">
    <thead><tr><th>${t("compare.what")}</th><th class="number">A</th><th class="number">B</th><th class="number">${t("compare.difference")}</th><th><span class="sr">${t("compare.interval")}</span></th><th class="number">p</th></tr></thead>
    <tbody>${of.map((one) => html`<${Row} key=${one.feature} of=${one} />`)}</tbody><//>`;
}

/** @param {{of: Difference}} props */
function Row({ of }) {
  const shown = shownOf(of);
  /** @param {number} value @param {string} where @param {number} n @param {string} side */
  const cell = (value, where, n, side) => html`<td class="number" data-label=${side}><span>${shown(value)} ${n ? html`<a href=${link("/", { where })} aria-label=${t("compare.runs.of", { n, side, feature: line(of.feature, 80) })}>${t("list.count", { n })}</a>` : html`<span class="quiet">${t("list.count", { n })}</span>`}</span></td>`;
  return html`<tr><th scope="row"><code>${visible(of.feature)}</code><span class="in-words">${visible(of.words)}</span></th>
    ${cell(of.a, of.runs_a, of.n_a, "A")}${cell(of.b, of.runs_b, of.n_b, "B")}
    <td class="number" data-label=${t("compare.difference")}><span><b>${signed(of.difference, shown)}</b> <span class="quiet">${signed(of.low, shown)} … ${signed(of.high, shown)}</span></span></td>
    <td class="drawn"><${Drawing} low=${of.low} high=${of.high} value=${of.difference} /></td>
    <td class="number" data-label="p" title=${String(of.p_holm)}>${of.p_holm < 0.001 ? "<0.001" : of.p_holm.toFixed(3)}</td></tr>`;
}

/** @param {{title: string, of: Only[]}} props */
function OnlyIn({ title, of }) {
  if (!of.length) return "";
  return html`<h2>${title}</h2><ul class="only">${of.map((one) => html`<li key=${one.feature}><code>${visible(one.feature)}</code> <a href=${link("/", { where: one.line })} aria-label=${t("compare.runs.of", { n: one.runs, side: "", feature: line(one.feature, 80) })}>${t("list.count", { n: one.runs })}</a></li>`)}</ul>`;
}
