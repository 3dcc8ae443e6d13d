/** The page of an online rule: its condition, its progress, pause, backfill, and its definition. */
import { useEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { RULE_MEMBERS } from "../choices.js";
import { clock, duration, moment, money, percent } from "../format.js";
import { number, t } from "../i18n/index.js";
import { change, link } from "../state/place.js";
import { asError, part, useFetched } from "../ui/fetched.js";
import { Failure, Refusal } from "../ui/frame.js";
import { html, line, visible } from "../ui/html.js";
import { definitionOf, PutForm, textOf } from "./put_form.js";

/** @typedef {import("../records.js").OnlineRuleItem} Rule */
/** @typedef {import("../records.js").RuleProgressItem} Counted */

const LOOK_MS = 3000;
const STATES = /** @type {const} */ (["pending", "deferred", "done", "error", "stale"]);

/** The number of runs in each state. @param {{of: Counted}} props */
export const Counts = ({ of }) => html`<span class="counted">${STATES.filter((one) => of[one] || one === "done").map((one) => html`<span key=${one} class=${one === "error" ? "wrong" : one === "deferred" || one === "stale" ? "odd" : ""} title=${t(/** @type {"rule.means.done"} */ (`rule.means.${one}`))}>${number(of[one])} ${t(/** @type {"rule.is.done"} */ (`rule.is.${one}`))}</span> `)}</span>`;

/** @param {number} seconds */
export const lagInWords = (seconds) => (seconds < 0.05 ? html`<span class="none">–</span>` : duration(seconds * 1000));

/** The daily budget of a rule, in words. @param {Rule["budget"]} budget */
export function budgetInWords(budget) {
  if (!budget) return t("rule.budget.none");
  const { usd, tokens, calls, runs } = budget;
  const parts = [usd !== null && money(usd), tokens !== null && t("rule.budget.tokens", { n: tokens }), calls !== null && t("rule.budget.calls", { n: calls }), runs !== null && t("rule.budget.runs", { n: runs })];
  return parts.filter((one) => one !== false).join(", ");
}

/** What the form changes; buttons of the page change the other members, and `PUT` keeps what is left out. */
const OF_FORM = RULE_MEMBERS.filter((name) => name !== "backfill" && name !== "paused");

/** A rule with the limits of its budget that are set. @param {Rule} rule */
const limited = (rule) => ({ ...rule, budget: rule.budget && Object.fromEntries(Object.entries(rule.budget).filter(([, most]) => most !== null)) });

/** @param {{name: string, project: string | undefined}} props */
export function RuleView({ name, project }) {
  const path = `/v1/online-rules/${part(name)}`;
  const { data: rule, error, again } = useFetched(path, { project });
  const [refused, setRefused] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [isWriting, setWriting] = useState(false);
  useEffect(() => {
    const timer = setInterval(again, LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  if (error && !rule) return html`<${Failure} error=${error} again=${again} />`;
  if (!rule) return html`<p class="quiet">…</p>`;
  /** @param {object} body */
  const put = (body) => sendJson("PUT", path, body, { project }).then(() => { setRefused(null); again(); }, (why) => setRefused(asError(why)));
  const remove = () => { if (confirm(t("rule.delete.sure", { name }))) sendJson("DELETE", path, {}, { project }).then(() => change({ name: null }, true), (why) => setRefused(asError(why))); };
  return html`<p class="across"><button onClick=${() => put({ paused: !rule.paused })}>${t(rule.paused ? "rule.resume" : "rule.pause")}</button>
      <button aria-expanded=${String(isWriting)} onClick=${() => setWriting(!isWriting)}>${t("rule.change")}</button><button title=${t("rule.rescore.means")} onClick=${() => put({ rescore: true })}>${t("rule.rescore")}</button>
      <button onClick=${remove}>${t("rule.delete")}</button><a href=${link("/online-rules", { project })}>${t("rules.all")}</a></p>
    <${Refusal} error=${refused ?? error} />${rule.paused && html`<p class="odd" role="status">⚠ ${t("rule.paused.means")}</p>`}
    <p role="status"><${Counts} of=${rule.progress} /> · ${t("rule.lag")} ${lagInWords(rule.progress.lag_s)}</p>
    ${rule.progress.deferred > 0 && html`<p class="odd">⚠ ${t("rule.deferred", { n: rule.progress.deferred })}</p>`}
    <${Facts} of=${rule} project=${project} />
    ${isWriting && html`<${PutForm} path="/v1/online-rules" name=${name} first=${textOf(definitionOf(limited(rule), OF_FORM))} project=${project} label=${t("rule.text")} done=${() => { setWriting(false); again(); }} close=${() => setWriting(false)} />`}
    <${Backfill} of=${rule} put=${put} />`;
}

/** @param {{of: Rule, project: string | undefined}} props */
function Facts({ of: { where, evaluators, sample, unit, when, delay_s: delay, budget, version, put_at: at, put_by: by }, project }) {
  return html`<dl class="facts"><div><dt>${t("rule.where")}</dt><dd><a href=${link("/", { where, project })}>${where ? html`<code>${line(where, 120)}</code>` : t("rule.every")}</a></dd></div>
    <div><dt>${t("rule.evaluators")}</dt><dd>${evaluators.map((one, i) => html`${i > 0 && ", "}<bdi>${visible(String(one.name ?? ""))}</bdi> <span class="quiet">${visible(String(one.kind ?? ""))}</span>`)}</dd></div>
    <div><dt>${t("rule.sample")}</dt><dd>${percent(sample)} ${t(unit === "conversation" ? "rule.of.conversations" : "rule.of.runs")}</dd></div>
    <div><dt>${t("rule.when")}</dt><dd>${t(when === "partial" ? "rule.partial" : "rule.settled")}${delay > 0 && ` + ${duration(delay * 1000)}`}</dd></div>
    <div><dt>${t("rule.budget")}</dt><dd>${budgetInWords(budget)}</dd></div>
    <div title=${moment(Number(at))}><dt>${t("rule.version")}</dt><dd>${version} <span class="quiet">${clock(Number(at))} <bdi>${line(by, 40)}</bdi></span></dd></div></dl>`;
}

/** The form that applies the rule to past runs, from one day to another. @param {{of: Rule, put: (body: object) => Promise<void>}} props */
function Backfill({ of: { backfill }, put }) {
  /** @param {SubmitEvent} event */
  const start = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    /** @param {string} name */
    const at = (name) => (given.get(name) ? new Date(`${given.get(name)}T00:00:00`).toISOString() : null);
    void put({ backfill: { from: at("from"), to: at("to") } });
  };
  const day = (/** @type {string | null} */ ms, /** @type {string} */ open) => (ms ? new Date(Number(ms)).toLocaleDateString() : open);
  return html`<h2>${t("rule.backfill")}</h2>
    ${backfill && html`<p role="status">${t(backfill.done ? "rule.backfill.done" : "rule.backfill.runs", { from: day(backfill.from, t("rule.first")), to: day(backfill.to, t("rule.newest")), n: backfill.taken })} <button onClick=${() => put({ backfill: null })}>${t(backfill.done ? "rule.backfill.forget" : "rule.backfill.end")}</button></p>`}
    <form class="across" onSubmit=${start}><label>${t("rule.from")} <input type="date" name="from" /></label> <label>${t("rule.to")} <input type="date" name="to" /></label><button>${t("rule.backfill.start")}</button><span class="quiet">${t("rule.backfill.about")}</span></form>`;
}
