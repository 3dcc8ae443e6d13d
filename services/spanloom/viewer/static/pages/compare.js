/** The differences in behaviour between two sets of runs, and the runs that show them. */
import { behaviour as en } from "../i18n/en/behaviour.js";
import { list as enList } from "../i18n/en/list.js";
import { learn, t } from "../i18n/index.js";
import { behaviour as zh } from "../i18n/zh/behaviour.js";
import { list as zhList } from "../i18n/zh/list.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { sendJson } from "../api.js";
import { Differences } from "../evaluation/differences.js";
import { errorsAt, Evaluation } from "../evaluation/frame.js";
import { QuestionBox } from "../evaluation/question.js";
import { questionOf } from "../list/columns.js";
import { TimeRange } from "../list/time_range.js";
import { condition } from "../state/filters.js";
import { change, place } from "../state/place.js";
import { faultOf, sent } from "../state/range.js";
import { asError, useAgain, useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { html, visible } from "../ui/html.js";

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

/** @typedef {import("../api.js").ApiError} ApiError */

/** Fetches the comparison for the queries in the URL; `data` is null if there are none. */
function useCompared() {
  const { query } = place.value;
  const { a = "", b = "", project } = query;
  const [found, setFound] = useState(/** @type {{of: string, data: any, error: ApiError | null}} */ ({ of: "", data: null, error: null }));
  const fault = faultOf(query, Date.now());
  const of = a || b ? JSON.stringify([a, b, project, sent(query)]) : "";
  const [turn, again] = useAgain(found.of === of ? found.error : null);
  useEffect(() => {
    let isOver = false;
    const side = (/** @type {string} */ where) => ({ where, project, ...sent(query) });
    if (of && !fault) {
      sendJson("POST", "/v1/compare", { a: side(a), b: side(b) }).then(
        (data) => { if (!isOver) setFound({ of, data, error: null }); }, (why) => { if (!isOver) setFound({ of, data: null, error: asError(why) }); });
    }
    return () => { isOver = true; };
  }, [of, turn]);
  const isKnown = found.of === of;
  return { data: isKnown ? found.data : null, error: isKnown ? found.error : null, isRunning: Boolean(of) && !isKnown && !fault, fault, again };
}

export function Page() {
  const { data, error, isRunning, fault, again } = useCompared();
  const isOfQuestion = error && ["a.where", "b.where"].some((one) => errorsAt(error, one).length > 0);
  return html`<${Evaluation} title=${t("evaluation.compare")}>
    <p class="quiet">${t("compare.about")}</p>
    <${Questions} error=${error} /><${Releases} />
    ${fault && html`<p class="refusal" role="alert">${t(fault)}</p>`}
    <p role="status" class="quiet">${isRunning && t("compare.running")}</p>
    ${error && !isOfQuestion && html`<${Failure} error=${error} again=${again} />`}
    ${data && html`<${Differences} of=${data} />`}<//>`;
}

/** The forms for the two queries. @param {{error: ApiError | null}} props */
function Questions({ error }) {
  const { a = "", b = "" } = place.value.query;
  const [before, setBefore] = useState(a);
  const [after, setAfter] = useState(b);
  useEffect(() => setBefore(a), [a]);
  useEffect(() => setAfter(b), [b]);
  /** @param {Event} event */
  const ask = async (event) => {
    event.preventDefault();
    const [first, second] = await Promise.all([questionOf(before), questionOf(after)]);
    change({ a: first, b: second }, true);
  };
  const wrong = (/** @type {string} */ name, /** @type {string} */ text, /** @type {string} */ sentText) => (text === sentText ? errorsAt(error, name) : []);
  return html`<form class="sets" onSubmit=${ask}>
    <${QuestionBox} id="a" label=${t("compare.a")} text=${before} setText=${setBefore} errors=${wrong("a.where", before, a)} placeholder='release = "1.4.0"' />
    <${QuestionBox} id="b" label=${t("compare.b")} text=${after} setText=${setAfter} errors=${wrong("b.where", after, b)} placeholder='release = "1.5.0"' />
    <p class="across"><button class="main" disabled=${!before.trim() && !after.trim()}>${t("compare.ask")}</button><${TimeRange} /></p></form>`;
}

/** Maximum number of releases to choose from, the most frequent first. */
const MOST = 50;

/** A shortcut: two releases instead of two queries. */
function Releases() {
  const { data } = useFetched("/v1/fields/release/values", { limit: MOST, project: place.value.query.project });
  /** @type {string[]} */
  const releases = (data?.items ?? []).map((/** @type {{value: unknown}} */ one) => String(one.value)).filter(Boolean).toSorted((/** @type {string} */ one, /** @type {string} */ other) => one.localeCompare(other, undefined, { numeric: true }));
  if (releases.length < 2) return "";
  /** @param {SubmitEvent} event */
  const ask = (event) => {
    event.preventDefault();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const [a, b] = ["first", "second"].map((name) => condition("release", "=", String(given.get(name)), "text"));
    change({ a, b }, true);
  };
  /** @param {string} name @param {number} at */
  const choice = (name, at) => html`<select name=${name} aria-label=${t(name === "first" ? "compare.a" : "compare.b")}>${releases.map((one, i) => html`<option key=${one} value=${one} selected=${i === at}>${visible(one)}</option>`)}</select>`;
  return html`<form class="across" onSubmit=${ask}><span class="quiet">${t("compare.releases")}</span>${choice("first", releases.length - 2)}${choice("second", releases.length - 1)}<button>${t("compare.ask")}</button></form>`;
}
