/** Compares two experiments on their common items: the differences in scores, and the items whose results changed. */
import { t } from "../i18n/index.js";
import { link, place } from "../state/place.js";
import { part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { figure, Pages, ScoreChoice, scoresIn } from "./experiment.js";
import { Sheet } from "./frame.js";
import { Drawing, signed } from "./interval.js";
import { Evidence, OutcomeOf, useResults } from "./results.js";

/** @typedef {import("../records.js").ExperimentResult} Result */
/** A score that both experiments have, as returned by `GET …/compare/…`. @typedef {{score: string, n: number, a: number | null, b: number | null, difference: number | null, low: number | null, high: number | null, p: number | null, p_holm: number | null, verdict: "better" | "worse" | "no_difference_shown", detectable: number | null}} Score */
/** @typedef {{common: number, only_a: string[], only_b: string[], scores: Score[]}} Comparison */
/** The results of one try of an item in both experiments. @typedef {{key: string, item: string, name: string, a: Result, b: Result}} Pair */

/** @param {{a: string, b: string, project: string | undefined}} props */
export function ComparedExperiments({ a, b, project }) {
  const { data, error, again } = useFetched(`/v1/experiments/${part(a)}/compare/${part(b)}`, { project });
  const [first, second] = [useResults(a, project, ""), useResults(b, project, "")];
  const failed = first.error ?? second.error;
  const way = (/** @type {string} */ name) => html`<a href=${link("/experiments", { name, project })}><bdi>${line(name, 60)}</bdi></a>`;
  return html`<dl class="facts"><div><dt>A</dt><dd>${way(a)}</dd></div><div><dt>B</dt><dd>${way(b)}</dd></div></dl>
    <p class="across"><a href=${link("/experiments", { a: b, b: a, project })}>⇄ ${t("compared.swap")}</a> <a href=${link("/experiments", { project })}>${t("experiments.all")}</a></p>
    ${error ? html`<${Failure} error=${error} again=${again} />` : data && html`<${Verdicts} of=${data} />`}
    <${Refusal} error=${failed} />${data && first.rows && second.rows && html`<${Changed} a=${first.rows} b=${second.rows} project=${project} />`}`;
}

const TONES = { better: "fine", worse: "wrong", no_difference_shown: "" };

/** @param {{of: Comparison}} props */
function Verdicts({ of: { common, only_a: onlyA, only_b: onlyB, scores } }) {
  const shown = (/** @type {number | null} */ value) => (value === null ? html`<span class="none">–</span>` : figure(value));
  return html`<p>${t("compared.common", { n: common })}${onlyA.length > 0 && ` ${t("compared.only", { side: "A", n: onlyA.length })}`}${onlyB.length > 0 && ` ${t("compared.only", { side: "B", n: onlyB.length })}`}</p>
    ${scores.length > 0 && html`<${Sheet} label=${t("compared.scores")} class="scores"><thead><tr><th>${t("experiment.score")}</th><th>${t("compared.verdict")}</th><th class="number">A</th><th class="number">B</th><th class="number">${t("compare.difference")}</th><th><span class="sr">${t("experiment.drawn")}</span></th><th class="number">p</th><th class="number">${t("experiment.n")}</th></tr></thead>
      <tbody>${scores.map((one) => html`<tr key=${one.score}><td><bdi>${line(one.score, 60)}</bdi></td>
        <td data-label=${t("compared.verdict")}><span><b class=${TONES[one.verdict]}>${t(/** @type {"compared.better"} */ (`compared.${one.verdict}`))}</b>${one.verdict === "no_difference_shown" && one.detectable !== null && html` <span class="quiet">${t("compared.detectable", { value: figure(one.detectable) })}</span>`}</span></td>
        <td class="number" data-label="A">${shown(one.a)}</td><td class="number" data-label="B">${shown(one.b)}</td>
        <td class="number" data-label=${t("compare.difference")}><span>${one.difference === null ? shown(null) : html`<b>${signed(one.difference, figure)}</b>`} ${one.low !== null && one.high !== null && html`<span class="quiet">${signed(one.low, figure)} … ${signed(one.high, figure)}</span>`}</span></td>
        <td class="drawn">${one.low !== null && one.high !== null && one.difference !== null && html`<${Drawing} low=${one.low} high=${one.high} value=${one.difference} />`}</td>
        <td class="number" data-label="p">${one.p_holm === null ? shown(null) : one.p_holm.toFixed(3)}</td><td class="number" data-label=${t("experiment.n")}>${one.n}</td></tr>`)}</tbody><//>`}`;
}

/** Tries in both experiments whose results differ; new failures first. @param {Result[]} a @param {Result[]} b @returns {Pair[]} */
export function changedIn(a, b) {
  const keyOf = (/** @type {Result} */ one) => JSON.stringify([one.item, one.repeat, one.name]);
  const before = new Map(a.map((one) => [keyOf(one), one]));
  const pairs = b.flatMap((one) => {
    const other = before.get(keyOf(one));
    return other && outcome(other) !== outcome(one) ? [{ key: keyOf(one), item: one.item, name: one.name, a: other, b: one }] : [];
  });
  return pairs.sort((one, other) => order(one) - order(other) || (one.key < other.key ? -1 : 1));
}

/** @param {Result} one */
const outcome = ({ status, passed, value, error_code: code }) => JSON.stringify([status, passed, value, code]);
/** @param {Result} one */
const good = ({ status, passed, value }) => status === "ok" && (passed ?? value) === true;
/** @param {Pair} pair */
const order = ({ a, b }) => Number(good(b)) - Number(good(a));

/** @param {{a: Result[], b: Result[], project: string | undefined}} props */
function Changed({ a, b, project }) {
  const { score, at } = place.value.query;
  const pairs = changedIn(a, b);
  const names = scoresIn(pairs.map((one) => one.b));
  const shown = score && names.includes(score) ? score : (names[0] ?? "");
  const own = pairs.filter((one) => one.name === shown);
  const first = Math.min(Number(at ?? 0), Math.max(0, own.length - 1));
  if (!pairs.length) return html`<h2>${t("compared.changed")}</h2><p class="quiet">${t("compared.same")}</p>`;
  return html`<h2>${t("compared.changed")}</h2><p class="across"><${ScoreChoice} names=${names} shown=${shown} /><span class="quiet">${t("compared.changed.n", { n: own.length })}</span></p>
    <${Sheet} label=${t("compared.changed")} class="changed"><thead><tr><th>${t("experiment.item")}</th><th>A</th><th>B</th><th>${t("experiment.why")}</th><th>${t("experiment.evidence")}</th><th><span class="sr">${t("compared.diff")}</span></th></tr></thead>
      <tbody>${own.slice(first, first + 50).map((one) => html`<${Row} key=${one.key} of=${one} project=${project} />`)}</tbody><//>
    <${Pages} at=${first} n=${own.length} />`;
}

/** @param {{of: Pair, project: string | undefined}} props */
function Row({ of: { item, a, b }, project }) {
  const areTwo = a.trace_id && b.trace_id && a.trace_id !== b.trace_id;
  const why = b.rationale || a.rationale;
  return html`<tr><td><bdi>${line(item, 60)}</bdi>${b.repeat > 0 && html` <span class="quiet">${t("experiment.try", { n: b.repeat + 1 })}</span>`}</td><td data-label="A"><${OutcomeOf} of=${a} /></td><td data-label="B"><${OutcomeOf} of=${b} /></td>
    <td class="why" data-label=${t("experiment.why")}><bdi title=${visible(why)}>${line(why, 120) || "–"}</bdi></td><td data-label=${t("experiment.evidence")}><${Evidence} of=${b} project=${project} /></td>
    <td class="ends-here">${areTwo && html`<a class="button" href=${link("/diff", { a: a.trace_id, b: b.trace_id, project, order: "given" })}>${t("compared.diff")}</a>`}</td></tr>`;
}
