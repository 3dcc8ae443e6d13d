/** Figures of agreement as a table; each links to the steps on which annotators differ. */
import { worded } from "../annotate/scheme.js";
import { t } from "../i18n/index.js";
import { Figure, none } from "../judging/parts.js";
import { change } from "../state/place.js";
import { html, visible } from "../ui/html.js";

/** @typedef {import("../records.js").Figure} Value */
/** @typedef {import("../records.js").PairItem} Pair */
/** @typedef {import("../records.js").MeasureItem} Measure */

const NAMES = /** @type {const} */ (["correctness", "error_type", "severity", "score", "decisive_step", "responsible_agent"]);

/** The name of a measure, in words. @param {string} name */
export const nameOf = (name) => {
  const known = NAMES.find((one) => one === name);
  return known ? t(`measure.${known}`) : name;
};

/** A value as the form shows it: an option of a scheme is translated to words, the name of an agent is not. @param {string} measure @param {string} value */
export const inWords = (measure, value) => (["responsible_agent", "decisive_step"].includes(measure) ? value : worded(value));

/** Show the units that a figure was counted from. @param {Record<string, string>} pick */
export function show(pick) {
  change({ measure: null, a: null, b: null, va: null, vb: null, agent: null, step_type: null, ...pick }, true);
  requestAnimationFrame(() => document.getElementById("units")?.scrollIntoView({ block: "start" }));
}

/** @param {{title: string, rows: {label: string, measure: Measure, pick: Record<string, string>}[]}} props */
export function Measures({ title, rows }) {
  const isApart = rows.some(({ label }) => label);
  return html`<h2>${title}</h2><div class="wide" tabindex="0" role="region" aria-label=${title}><table class="sheet-table measures stacked pairs">
    <thead><tr>${isApart && html`<th>${t("agreement.what")}</th>`}<th>${t("agreement.measure")}</th><th class="number" title=${t("agreement.units.means")}>${t("agreement.units")}</th><th class="number" title=${t("agreement.alpha.means")}>α</th>
      <th class="number" title=${t("agreement.interval.means")}>95 %</th><th class="number" title=${t("agreement.kappa.means")}>κ</th><th class="number" title=${t("agreement.percent.means")}>${t("agreement.percent")}</th></tr></thead>
    <tbody>${rows.map(({ label, measure, pick }) => html`<tr>${isApart && html`<td><bdi>${label ? visible(label) : none()}</bdi></td>`}
      <td>${nameOf(measure.name)} <span class="quiet">${measure.level}</span></td>
      <td class="number shared" data-label=${t("agreement.units")}><span>${measure.shared ? html`<button class="plain" title=${t("agreement.show")} onClick=${() => show({ measure: measure.name, ...pick })}>${measure.shared}</button>` : "0"} / ${measure.units}</span></td>
      <td class="number" data-label="α"><${Figure} figure=${measure.alpha} /></td>
      <td class="number" data-label="95 %">${measure.interval ? `${measure.interval[0].toFixed(2)} – ${measure.interval[1].toFixed(2)}` : none()}</td>
      <td class="number" data-label="κ"><${Figure} figure=${measure.kappa} /></td>
      <td class="number" data-label=${t("agreement.percent")}><${Figure} figure=${measure.percent} asShare=${true} /></td></tr>`)}</tbody></table></div>`;
}
