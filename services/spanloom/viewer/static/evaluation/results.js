/** Fetches all results of an experiment, orders them, and shows them with their evidence. */
import { getRows } from "../api.js";
import { t } from "../i18n/index.js";
import { link, ownProject } from "../state/place.js";
import { asError, part } from "../ui/fetched.js";
import { html, line, visible } from "../ui/html.js";
import { useEffect, useState } from "../vendor/hooks.js";

/** @typedef {import("../api.js").ApiError} ApiError */
/** @typedef {import("../records.js").ExperimentResult} Result */

/** Maximum number of results that the page fetches; an experiment may have more. */
const MOST = 50_000;

/**
 * All results of an experiment; they are fetched again whenever `turn` changes.
 * @param {string} name @param {string | undefined} project @param {unknown} turn
 * @returns {{rows: Result[] | null, isCut: boolean, error: ApiError | null}}
 */
export function useResults(name, project, turn) {
  const [got, setGot] = useState(/** @type {ReturnType<typeof useResults>} */ ({ rows: null, isCut: false, error: null }));
  useEffect(() => {
    let isOver = false;
    /** @type {Result[]} */
    const rows = [];
    let n = 0;
    const take = (/** @type {Result} */ row) => { if ((n += 1) <= MOST) rows.push(row); };
    getRows(`/v1/experiments/${part(name)}/results`, { project }, take).then(
      () => { if (!isOver) setGot({ rows, isCut: n > MOST, error: null }); }, (why) => { if (!isOver) setGot((before) => ({ ...before, error: asError(why) })); });
    return () => { isOver = true; };
  }, [name, project, turn]);
  return got;
}

/** The rank of a result: 0 failed, 1 error, 2 number, 3 not applicable, 4 passed. @param {Result} one */
function rank({ status, passed, value }) {
  if (status === "ok") return passed === false ? 0 : passed === true ? 4 : typeof value === "boolean" ? (value ? 4 : 0) : 2;
  return status === "error" ? 1 : 3;
}

/** Compare two results: failed first, then errors, then low numbers; equal results by item. @param {Result} a @param {Result} b */
export function worstFirst(a, b) {
  const byValue = typeof a.value === "number" && typeof b.value === "number" ? a.value - b.value : 0;
  return rank(a) - rank(b) || byValue || (a.item < b.item ? -1 : a.item > b.item ? 1 : a.repeat - b.repeat);
}

/** The status of a result as a sign and words: `✕ failed`. @param {Result} one */
export function outcomeOf({ status, passed, value, label, error_code: code }) {
  if (status !== "ok") return { tone: status === "error" ? "wrong" : "quiet", words: status === "error" ? `⚠ ${t("result.error")} ${code}` : t(status === "na" ? "result.na" : "result.skipped") };
  const isGood = passed ?? (typeof value === "boolean" ? value : null);
  const shown = typeof value === "number" ? Number(value.toPrecision(4)).toString() : typeof value === "string" ? value : "";
  const verdict = isGood === null ? "" : isGood ? `✓ ${t("result.passed")}` : `✕ ${t("result.failed")}`;
  return { tone: isGood === null ? "" : isGood ? "fine" : "wrong", words: [verdict, shown, label].filter(Boolean).join(" · ") || "–" };
}

/** @param {{of: Result}} props */
export function OutcomeOf({ of }) {
  const { tone, words } = outcomeOf(of);
  return html`<span class=${tone}>${visible(words)}</span>`;
}

const SHOWN = 4;

/** Links to the steps that are evidence for a result (at most `SHOWN`), and to its run. @param {{of: Result, project: string | undefined}} props */
export function Evidence({ of: { trace_id: trace, project: own, evidence }, project }) {
  if (!trace) return html`<span class="none">–</span>`;
  const at = (/** @type {string} */ step) => link(`/trajectories/${trace}`, { project: project ?? ownProject(own), step });
  const steps = [...new Set(evidence.map((one) => String(one.step_id ?? "")).filter(Boolean))];
  return html`<span class="evidence">${steps.slice(0, SHOWN).map((step, i) => html`<a key=${step} href=${at(step)} title=${step}>${t("result.evidence", { n: i + 1 })}</a> `)}${steps.length > SHOWN && html`<span class="quiet">${t("result.more", { n: steps.length - SHOWN })}</span> `}
    <a href=${at("")}>${t("result.run")} <code>${trace.slice(0, 12)}</code></a></span>`;
}

/** The rationale of a result, in a line; all of it on hover. @param {{of: Result}} props */
export const Rationale = ({ of: { rationale } }) => (rationale ? html`<bdi title=${visible(rationale)}>${line(rationale, 160)}</bdi>` : html`<span class="none">–</span>`);
