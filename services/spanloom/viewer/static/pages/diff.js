/** Two runs side by side: what the service says differs (docs/api.md, Diff). */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { duration, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { change, link, place } from "../state/place.js";
import { LongText } from "../step/text.js";
import { Words } from "../step/words.js";
import { Failure, Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { line } from "../ui/visible.js";

/** @typedef {"same" | "changed" | "added" | "removed" | "moved"} Op */
/** @typedef {{op: Op, a_id?: string, b_id?: string, type?: string, name?: string, changes?: {field: string, a: unknown, b: unknown}[]}} Step */

const OPS = /** @type {const} */ (["same", "changed", "added", "removed", "moved"]);
/** @type {Record<string, (value: number) => string>} */
const SHOWN = { duration, cost: money };

export function Page() {
  const { a = "", b = "", av, bv, project, every, texts } = place.value.query;
  const [diff, setDiff] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const load = () => {
    const asked = { project, version: av, other_version: bv, every: every ? "true" : "", whole_texts: texts ? "true" : "" };
    getJson(`/v1/trajectories/${a}/diff/${b}`, asked).then((told) => { setDiff(told); setError(null); }, setError);
  };
  useEffect(load, [a, b, av, bv, project, every, texts]);
  return html`<${Frame} title=${t("diff.title")} nav=${html`<h1 class="crumb">${t("diff.title")}</h1>`}>
    <main class="diff">
      ${error && html`<${Failure} error=${error} again=${load} />`}
      ${diff && html`<${Summary} diff=${diff} />
        <h2>${t("diff.steps")}</h2>
        <p><${Switch} name="every" on=${every} label=${t("diff.every")} /> <${Switch} name="texts" on=${texts} label=${t("diff.texts")} /></p>
        ${diff.same && html`<p>${t("diff.same")}</p>`}
        <${Steps} diff=${diff} />`}
    </main>
  <//>`;
}

/** @param {{name: string, on: string | undefined, label: string}} props */
function Switch({ name, on, label }) {
  return html`<label class="check"><input type="checkbox" checked=${Boolean(on)} onChange=${() => change({ [name]: on ? null : "1" })} /> ${label}</label>`;
}

/** @param {{diff: any}} props */
function Summary({ diff }) {
  const { summary } = diff;
  return html`<dl class="facts">${OPS.filter((op) => summary[op]).map((op) => html`<div class="op-${op}"><dt>${t(`op.${op}`)}</dt><dd>${summary[op]}</dd></div>`)}</dl>
    <table class="sides"><thead><tr><th>${t("diff.metrics")}</th>${[diff.a, diff.b].map((side) => html`<th><a href=${sideLink(side)}><code>${side.trace_id.slice(0, 12)}</code></a> v${side.version}</th>`)}</tr></thead>
      <tbody>${Object.entries(summary.metrics).map(([name, values]) => html`<tr><th>${name.replace("_", " ")}</th>${values.map((/** @type {number | null} */ value) => html`<td>${value === null ? "–" : (SHOWN[name] ?? short)(value)}</td>`)}</tr>`)}</tbody></table>`;
}

/** @param {{diff: any}} props */
function Steps({ diff }) {
  return html`<table class="sides steps-of"><tbody>${diff.steps.map((/** @type {Step} */ step) => html`
    <tr class="op-${step.op} k-${step.type}"><th><span class="op">${t(`op.${step.op}`)}</span> <b class="kind">${step.type}</b> <bdi>${line(step.name ?? "", 80)}</bdi></th>
      ${["a", "b"].map((side) => html`<td>${stepLink(diff[side], side === "a" ? step.a_id : step.b_id)}</td>`)}</tr>
    ${(step.changes ?? []).map(({ field, a, b }) => html`<tr class="change"><th>${field}</th>${[a, b].map((value) => html`<td><${LongText} text=${shown(field, value)} /></td>`)}</tr>
      ${typeof a === "string" && typeof b === "string" && html`<tr class="change"><th></th><td colspan="2"><${Words} before=${a} after=${b} /></td></tr>`}`)}`)}
  </tbody></table>`;
}

/** @param {string} field @param {unknown} value */
function shown(field, value) {
  if (field === "duration" && typeof value === "number") return duration(value);
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "–");
}

/** The run of a side, in its own version where two of one run are compared. @param {{trace_id: string, version: number}} side @param {string} [step] */
function sideLink(side, step) {
  const { project, av, bv } = place.value.query;
  const version = [av, bv].find((one) => Number(one) === side.version);
  return link(`/trajectories/${side.trace_id}`, { project, step, version });
}

/** @param {{trace_id: string, version: number}} side @param {string | undefined} step */
const stepLink = (side, step) => (step ? html`<a href=${sideLink(side, step)}>${step}</a>` : html`<span class="none">–</span>`);
