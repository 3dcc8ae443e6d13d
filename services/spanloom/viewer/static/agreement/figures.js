/** Tables of inter-annotator agreement: the measures, pairs of annotators, and the steps that were compared. */
import { worded } from "../annotate/scheme.js";
import { t } from "../i18n/index.js";
import { Figure, none, RunLink } from "../judging/parts.js";
import { change, link, place } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { useState } from "../vendor/hooks.js";
import { percent } from "../format.js";
import { useFetched, useRuns } from "../ui/fetched.js";

// A table of measures of agreement; each measure links to the steps on which annotators differ.

/** @typedef {import("../records.js").Figure} Value */
/** @typedef {import("../records.js").PairItem} Pair */
/** @typedef {import("../records.js").MeasureItem} Measure */

const NAMES = /** @type {const} */ (["correctness", "error_type", "severity", "score", "decisive_step", "responsible_agent"]);

/** The name of a measure, in words. @param {string} name */
export const nameOf = (name) => {
  const known = NAMES.find((one) => one === name);
  return known ? t(`measure.${known}`) : name;
};

/** A value in words: an option of a scheme is spelled out, the name of an agent or the id of a step is unchanged. @param {string} measure @param {string} value */
export const inWords = (measure, value) => (["responsible_agent", "decisive_step"].includes(measure) ? value : worded(value));

/** Show the steps or runs from which a number was computed. @param {Record<string, string>} pick */
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

// Two annotators compared: how often each pair of their values occurs.

const SHADES = 4;

/** @param {{measures: Measure[]}} props */
export function Confusions({ measures }) {
  const [name, setName] = useState("");
  const usable = measures.filter((one) => one.level !== "interval" && one.pairs.length > 0);
  const on = usable.find((one) => key(one) === name) ?? usable[0];
  if (!on) return "";
  return html`<h2>${t("agreement.pairs")}</h2>
    <p class="across">${usable.map((one) => html`<button aria-pressed=${String(one === on)} onClick=${() => setName(key(one))}>${nameOf(one.name)} <span class="quiet">${one.level}</span></button>`)}</p>
    <div class="confusions">${on.pairs.map((pair) => html`<${Table} key=${pair.annotators.join()} pair=${pair} measure=${on.name} />`)}</div>`;
}

/** @param {Measure} one */
const key = (one) => `${one.name} ${one.level}`;

/** @param {{pair: Pair, measure: string}} props */
function Table({ pair, measure }) {
  const [one, other] = pair.annotators;
  const values = [...new Set(pair.confusion.flatMap(({ a, b }) => [a, b]))].sort();
  const counts = new Map(pair.confusion.map(({ a, b, units }) => [JSON.stringify([a, b]), units]));
  const most = Math.max(1, ...counts.values());
  /** @param {string} va @param {string} vb */
  const cell = (va, vb) => {
    const count = counts.get(JSON.stringify([va, vb])) ?? 0;
    const shade = count ? Math.ceil((count / most) * SHADES) : 0;
    const title = t("agreement.cell", { one, va: inWords(measure, va), other, vb: inWords(measure, vb), n: count });
    return html`<td class="number ${va === vb ? "same" : "differ"}${shade}" data-label=${`${words(other)} ${valueOf(vb)}`}>${count ? html`<button class="plain" title=${title} aria-label=${title} onClick=${() => show({ measure, a: one, b: other, va, vb })}>${count}</button>` : html`<span class="none">0</span>`}</td>`;
  };
  /** @param {string} who */
  const words = (who) => t("agreement.says", { who: line(who, 40) });
  /** @param {string} value */
  const valueOf = (value) => line(inWords(measure, value), 24);
  return html`<figure class="wide"><figcaption><b><bdi>${visible(one)}</bdi> · <bdi>${visible(other)}</bdi></b>
      <span>κ <${Figure} figure=${pair.kappa} /></span> ${pair.percent.value !== null && html`<span>${percent(pair.percent.value)} ${t("agreement.percent")}</span>`}
      <button class="plain" onClick=${() => show({ measure, a: one, b: other })}>${t("agreement.both", { n: pair.units })}</button></figcaption>
    <table class="sheet-table confusion stacked">
    <thead><tr><td></td><th scope="colgroup" colspan=${values.length} class="says"><span class="over"><bdi>${words(other)}</bdi> →</span></th></tr>
      <tr><th class="says"><bdi>${words(one)}</bdi> ↓</th>${values.map((value) => html`<th scope="col" class="number"><bdi>${valueOf(value)}</bdi></th>`)}</tr></thead>
    <tbody>${values.map((va) => html`<tr><th scope="row" data-label=${words(one)}><bdi>${valueOf(va)}</bdi></th>${values.map((vb) => cell(va, vb))}</tr>`)}</tbody></table></figure>`;
}

// The steps or runs from which a number was computed; each links to the step in its run.

const MOST_NAMED = 50;

/** @typedef {import("../records.js").UnitItem} Unit */

/** @param {{comparison: Record<string, string | undefined>}} props */
export function Units({ comparison }) {
  const { measure = "correctness", a, b, va, vb, agent, step_type: type } = place.value.query;
  const pair = a && b ? [a, b] : [];
  const values = va && vb ? [va, vb] : [];
  const params = { ...comparison, measure, first: a, second: b, first_says: va, second_says: vb, agent, step_type: type };
  const { data, error } = useFetched("/v1/agreement/units", params);
  /** @type {Unit[]} */
  const items = data?.items ?? [];
  const ids = [...new Set(items.map((unit) => unit.trace_id))].slice(0, MOST_NAMED);
  const runs = useRuns(ids, comparison.project);
  const people = [...new Set(items.flatMap((unit) => Object.keys(unit.values)))].sort();
  const of = [nameOf(measure), agent, type, pair.join(" · "), values.length ? values.map((one) => `“${inWords(measure, one)}”`).join(" · ") : ""].filter(Boolean).join(", ");
  return html`<h2 id="units">${values.length ? t("units.said") : t("units.differ")} <span class="quiet">${visible(of)} · ${data?.total ?? "…"}</span></h2>
    ${error && html`<p class="refusal" role="alert">${error.message}</p>`}
    ${items.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label=${t("units.differ")}><table class="sheet-table units stacked">
      <thead><tr><th>${t("item.run")}</th><th>${t("judging.step")}</th>${people.map((who) => html`<th><bdi>${t("agreement.says", { who: line(who, 40) })}</bdi></th>`)}<td></td></tr></thead>
      <tbody>${items.map((unit) => html`<tr key=${unit.trace_id + unit.step_id}>
        <td><${RunLink} id=${unit.trace_id} run=${runs[unit.trace_id]} project=${comparison.project} /></td>
        <td class="k-${unit.step_type}">${unit.step_id ? html`<a href=${link(`/trajectories/${unit.trace_id}`, { step: unit.step_id, project: comparison.project })}><span class="kind">${unit.step_type}</span> <bdi>${line(unit.quote || unit.step_id, 60)}</bdi></a> <span class="quiet"><bdi>${visible(unit.agent)}</bdi></span>` : t("units.whole")}</td>
        ${people.map((who) => html`<td data-label=${t("agreement.says", { who: line(who, 40) })}><bdi>${visible(inWords(measure, unit.values[who] ?? "–"))}</bdi></td>`)}
        <td class="ends-here"><a href=${link("/adjudication", { trace: unit.trace_id, scheme: comparison.scheme, queue: comparison.queue, step: unit.step_id, project: comparison.project })}>${t("adjudication.open")}</a></td></tr>`)}</tbody></table></div>`}
    ${data && data.total > items.length && html`<p class="quiet">${t("units.more", { n: data.total - items.length })}</p>`}
    ${data && data.total === 0 && html`<p>${t("units.none")}</p>`}`;
}
