/** Two annotators against each other: counts of their pairs of values. */
import { useState } from "../vendor/hooks.js";
import { percent } from "../format.js";
import { t } from "../i18n/index.js";
import { Figure } from "../judging/parts.js";
import { html, line, visible } from "../ui/html.js";
import { inWords, nameOf, show } from "./measures.js";

/** @typedef {import("./measures.js").Measure} Measure */
/** @typedef {import("./measures.js").Pair} Pair */

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
