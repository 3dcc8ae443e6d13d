/** The page of an experiment: its progress, the summary of each score, and its results, the worst first. */
import { useEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { clock, moment, percent } from "../format.js";
import { t } from "../i18n/index.js";
import { change, link, place } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { Sheet } from "./frame.js";
import { Drawing } from "./interval.js";
import { Evidence, OutcomeOf, Rationale, useResults, worstFirst } from "./results.js";

/** @typedef {import("../records.js").ExperimentItem} Experiment */
/** @typedef {import("../records.js").ExperimentSummary} Summary */
/** @typedef {import("../records.js").ExperimentResult} Result */

/** Milliseconds between requests for the progress of a running experiment. */
const LOOK_MS = 2000;
const PAGE = 50;

/** The progress of an experiment, as a bar and in words. @param {{of: Experiment}} props */
export function Progress({ of: { status, total, done, errors } }) {
  const words = `${t(/** @type {"experiment.is.done"} */ (`experiment.is.${status}`))} ${done}/${total}`;
  return html`<span class="progress"><progress max=${total || 1} value=${done} aria-label=${words}></progress> <span class=${status === "failed" ? "wrong" : ""}>${words}</span>${errors > 0 && html` <span class="wrong">${t("experiment.errors", { n: errors })}</span>`}</span>`;
}

/** @param {{name: string, project: string | undefined}} props */
export function ExperimentView({ name, project }) {
  const path = `/v1/experiments/${part(name)}`;
  const { data: experiment, error, again } = useFetched(path, { project });
  const [refused, setRefused] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const isRunning = experiment?.status === "running";
  useEffect(() => {
    const timer = isRunning ? setTimeout(again, LOOK_MS) : undefined;
    return () => clearTimeout(timer);
  }, [experiment]);
  const results = useResults(name, project, experiment && `${experiment.done} ${experiment.status}`);
  if (error) return html`<${Failure} error=${error} again=${again} />`;
  if (!experiment) return html`<p class="quiet">…</p>`;
  const cancel = () => sendJson("DELETE", path, {}, { project }).then(() => { setRefused(null); again(); }, (why) => setRefused(asError(why)));
  return html`<p class="across" role="status"><${Progress} of=${experiment} />${isRunning && html`<button onClick=${cancel}>${t("experiment.cancel")}</button>`}</p>
    ${experiment.reason && html`<p class="wrong">${visible(experiment.reason)}</p>`}<${Refusal} error=${refused} />
    <${Facts} of=${experiment} project=${project} /><${CompareWith} name=${name} project=${project} />
    <${Scores} summary=${experiment.summary ?? {}} />
    ${experiment.withheld > 0 && html`<p class="odd">⚠ ${t("experiment.withheld", { n: experiment.withheld })}</p>`}
    ${results.error ? html`<${Refusal} error=${results.error} />` : results.rows && html`<${Results} rows=${results.rows} isCut=${results.isCut} project=${project} />`}`;
}

/** @param {{of: Experiment, project: string | undefined}} props */
function Facts({ of: { dataset, runs, evaluators, repeats, started_at: at, started_by: by }, project }) {
  const [set, version] = (dataset ?? "").split("@");
  return html`<dl class="facts">
    ${dataset && html`<div><dt>${t("experiment.dataset")}</dt><dd><a href=${link("/datasets", { name: set, version, project })}><bdi>${visible(dataset)}</bdi></a></dd></div>`}
    ${runs && html`<div><dt>${t("experiment.runs")}</dt><dd><code>${line(String(runs.where || t("experiment.all")), 120)}</code></dd></div>`}
    ${evaluators.length > 0 && html`<div><dt>${t("experiment.evaluators")}</dt><dd>${evaluators.map((one, i) => html`${i > 0 && ", "}<bdi>${visible(one.name)}</bdi> <span class="quiet">${one.kind}</span>`)}</dd></div>`}
    ${repeats > 1 && html`<div><dt>${t("experiment.repeats")}</dt><dd>${repeats}</dd></div>`}
    ${at && html`<div title=${moment(Number(at))}><dt>${t("experiment.started")}</dt><dd>${clock(Number(at))} ${by && html`<span class="quiet"><bdi>${line(by, 40)}</bdi></span>`}</dd></div>`}</dl>`;
}

/** The choice of another experiment to compare with; the current experiment is B. @param {{name: string, project: string | undefined}} props */
function CompareWith({ name, project }) {
  const { data } = useFetched("/v1/experiments", { project });
  /** @type {Experiment[]} */
  const others = (data?.items ?? []).filter((/** @type {Experiment} */ one) => one.name !== name);
  /** @param {SubmitEvent} event */
  const go = (event) => {
    event.preventDefault();
    change({ name: null, a: String(new FormData(/** @type {HTMLFormElement} */ (event.target)).get("a")), b: name, at: null, score: null }, true);
  };
  return html`<form class="across" onSubmit=${go}>${others.length > 0 && html`<label>${t("experiment.compare.with")} <select name="a">${others.map((one) => html`<option key=${one.name} value=${one.name}>${visible(one.name)}</option>`)}</select></label><button>${t("compare.ask")}</button>`}
    <a href=${link("/experiments", { project })}>${t("experiments.all")}</a></form>`;
}

/** The summary of each score. @param {{summary: Record<string, Summary>}} props */
function Scores({ summary }) {
  const names = Object.keys(summary);
  if (!names.length) return "";
  return html`<h2>${t("experiment.scores")}</h2><${Sheet} label=${t("experiment.scores")} class="scores">
    <thead><tr><th>${t("experiment.score")}</th><th class="number">${t("experiment.rate")}</th><th class="number">${t("experiment.mean")}</th><th class="number">${t("experiment.interval")}</th><th><span class="sr">${t("experiment.drawn")}</span></th><th class="number">${t("experiment.n")}</th><th>${t("experiment.out")}</th></tr></thead>
    <tbody>${names.map((name) => html`<${ScoreRow} key=${name} name=${name} of=${summary[name]} />`)}</tbody><//>
    <p class="quiet">${t("experiment.scores.about")}</p>`;
}

/** Format a number with four significant digits. @param {number} value */
export const figure = (value) => Number(value.toPrecision(4)).toString();

/** @param {{name: string, of: Summary}} props */
function ScoreRow({ name, of: { n, ok, na, error, skipped, pass_rate: rate, mean, low, high } }) {
  const shown = rate === null ? figure : percent;
  const value = rate ?? mean;
  const out = [na && t("experiment.na", { n: na }), error && t("experiment.error", { n: error }), skipped && t("experiment.skipped", { n: skipped })].filter(Boolean).join(", ");
  const none = html`<span class="none">–</span>`;
  return html`<tr><td><button class="plain" onClick=${() => change({ score: name, at: null }, true)}><bdi>${line(name, 60)}</bdi></button></td>
    <td class="number" data-label=${t("experiment.rate")}>${rate === null ? none : html`<b>${percent(rate)}</b>`}</td><td class="number" data-label=${t("experiment.mean")}>${mean === null ? none : figure(mean)}</td>
    <td class="number" data-label=${t("experiment.interval")}>${low === null || high === null ? none : `${shown(low)} … ${shown(high)}`}</td>
    <td class="drawn">${low !== null && high !== null && value !== null && html`<${Drawing} low=${low} high=${high} value=${value} ...${rate === null ? {} : { from: 0, to: 1 }} />`}</td>
    <td class="number" data-label=${t("experiment.n")}>${ok}/${n}</td><td data-label=${t("experiment.out")}>${out || none}</td></tr>`;
}

/** The names of the scores in rows. @param {Result[]} rows */
export const scoresIn = (rows) => [...new Set(rows.map((one) => one.name))].sort();

/** The choice of one score. @param {{names: string[], shown: string}} props */
export const ScoreChoice = ({ names, shown }) => html`<label>${t("experiment.score")} <select value=${shown} onChange=${(/** @type {Event} */ event) => change({ score: /** @type {HTMLSelectElement} */ (event.target).value, at: null })}>${names.map((one) => html`<option key=${one} value=${one}>${visible(one)}</option>`)}</select></label>`;

/** @param {{rows: Result[], isCut: boolean, project: string | undefined}} props */
function Results({ rows, isCut, project }) {
  const { score, at } = place.value.query;
  const names = scoresIn(rows);
  const worst = rows.toSorted(worstFirst)[0]?.name ?? "";
  const shown = score && names.includes(score) ? score : worst;
  const own = rows.filter((one) => one.name === shown).sort(worstFirst);
  const first = Math.min(Number(at ?? 0), Math.max(0, own.length - 1));
  if (!rows.length) return html`<p class="quiet">${t("experiment.nothing")}</p>`;
  return html`<h2>${t("experiment.items")}</h2><p class="across"><${ScoreChoice} names=${names} shown=${shown} /><span class="quiet">${t("experiment.worst")}</span></p>
    ${isCut && html`<p class="odd">⚠ ${t("experiment.cut", { n: rows.length })}</p>`}
    <${Sheet} label=${t("experiment.items")} class="results"><thead><tr><th>${t("experiment.item")}</th><th>${t("experiment.result")}</th><th>${t("experiment.why")}</th><th>${t("experiment.evidence")}</th></tr></thead>
      <tbody>${own.slice(first, first + PAGE).map((one) => html`<tr key=${`${one.item} ${one.repeat} ${one.evaluator}`}><td><bdi>${line(one.item, 60)}</bdi>${one.repeat > 0 && html` <span class="quiet">${t("experiment.try", { n: one.repeat + 1 })}</span>`}</td>
        <td data-label=${t("experiment.result")}><${OutcomeOf} of=${one} /></td><td class="why" data-label=${t("experiment.why")}><${Rationale} of=${one} /></td><td data-label=${t("experiment.evidence")}><${Evidence} of=${one} project=${project} /></td></tr>`)}</tbody><//>
    <${Pages} at=${first} n=${own.length} />`;
}

/** @param {{at: number, n: number}} props */
export function Pages({ at, n }) {
  if (n <= PAGE) return "";
  return html`<nav class="pager" aria-label=${t("pages")}><button disabled=${at === 0} onClick=${() => change({ at: String(Math.max(0, at - PAGE)) }, true)}>‹</button>
    <span>${at + 1}–${Math.min(n, at + PAGE)} / ${n}</span><button disabled=${at + PAGE >= n} onClick=${() => change({ at: String(at + PAGE) }, true)}>›</button></nav>`;
}
