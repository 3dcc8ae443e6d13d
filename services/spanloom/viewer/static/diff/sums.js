/** The metrics of two runs, side by side below their names. */
import { duration, moment, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { stateOf } from "../list/run.js";
import { html, visible } from "../ui/html.js";
import { sideLink } from "./sides.js";

/** @typedef {import("./sides.js").Side} Side */

const OPS = /** @type {const} */ (["same", "changed", "added", "removed", "moved"]);
const NAMES = /** @type {const} */ (["duration", "model_time", "tool_time", "input_tokens", "output_tokens", "cost", "agent_steps", "model_steps", "tool_steps", "graph_steps", "errors"]);
/** @type {Record<string, (value: number) => string>} */
const SHOWN = { duration, model_time: duration, tool_time: duration, cost: money };

/** @param {{diff: {a: Side, b: Side, summary: any}}} props */
export function Sums({ diff: { a, b, summary } }) {
  const names = NAMES.filter((name) => summary.metrics[name] && (!name.endsWith("_steps") || summary.metrics[name].some(Boolean)));
  return html`<dl class="facts">${OPS.filter((op) => summary[op]).map((op) => html`<div class="op-${op}"><dt>${t(`op.${op}`)}</dt><dd>${summary[op]}</dd></div>`)}</dl>
    <table class="sides"><thead><tr><th>${t("diff.metrics")}</th>${[a, b].map((side) => html`<th scope="col"><${Run} side=${side} /></th>`)}</tr></thead>
      <tbody>${names.map((name) => html`<tr class=${summary.metrics[name][0] === summary.metrics[name][1] ? "alike" : ""}><th scope="row">${t(`diff.of.${name}`)}</th>
        ${summary.metrics[name].map((/** @type {number | null} */ value) => html`<td title=${value ?? ""}>${value === null ? "–" : (SHOWN[name] ?? short)(value)}</td>`)}</tr>`)}</tbody></table>`;
}

/** A link to a run with its name and status. @param {{side: Side}} props */
function Run({ side }) {
  const { state, sign, words } = stateOf(side);
  return html`<span class="side-name"><span class="state s-${state}" title=${words}>${sign}<span class="sr"> ${words}</span></span> <a href=${sideLink(side)} title=${side.trace_id}><bdi>${visible(side.name || side.trace_id)}</bdi></a></span>
    <span class="quiet">${moment(Number(side.started_at))} · ${t("diff.version", { version: side.version })}</span>`;
}
