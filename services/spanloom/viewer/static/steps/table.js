/** The table of steps: each row links to its step in its run. */
import { clock, duration, moment, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { pageOf } from "../list/run.js";
import { asking, none } from "../list/columns.js";
import { place } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { AllBox, RowBox } from "../ui/select_box.js";
import { SortHead } from "../ui/sort_head.js";
import { keyOf, selection } from "./rows.js";

/** @typedef {import("./rows.js").Step} Step */
/** @typedef {{name: string, label: import("../i18n/index.js").Key, order?: string, isNumber?: boolean, cell: (step: Step) => unknown, title?: (step: Step) => string}} Column */

/** @template T @param {T | null | undefined} value @param {(value: T) => unknown} shown */
const maybe = (value, shown) => (value === null || value === undefined || value === "" ? none() : shown(value));

/** @param {string | null} name */
const known = (name) => (name ? [name] : []);

/** @type {Column[]} */
const COLUMNS = [
  { name: "started", label: "column.started", order: "start", isNumber: true, cell: (step) => clock(Number(step.started_at)), title: (step) => moment(Number(step.started_at)) },
  { name: "type", label: "column.type", cell: (step) => html`<span class="kind k-${step.type}">${asking("type", [step.type], "choice")}</span>` },
  { name: "name", label: "column.name", cell: (step) => html`<a href=${pageOf(step, { step: step.step_id })}><bdi>${line(step.name || step.step_id, 60)}</bdi></a>${step.has_error && html` <span class="about bad">${line(why(step), 120)}</span>`}`, title: (step) => visible(why(step)) },
  { name: "agent", label: "column.agent", cell: (step) => (step.type === "agent" ? asking("agent", known(step.name)) : asking("owner", known(step.agent_name))) },
  { name: "model", label: "column.model", cell: (step) => asking("model", known(step.model)) },
  { name: "duration", label: "column.duration", order: "duration", isNumber: true, cell: (step) => duration(Number(step.duration)) },
  { name: "first", label: "column.first", order: "first_token", isNumber: true, cell: (step) => maybe(step.first_token_ms, duration) },
  { name: "input", label: "column.input", order: "input_tokens", isNumber: true, cell: (step) => maybe(step.input_tokens, short) },
  { name: "output", label: "column.output", order: "output_tokens", isNumber: true, cell: (step) => maybe(step.output_tokens, short) },
  { name: "cost", label: "column.cost", order: "cost", isNumber: true, cell: (step) => maybe(step.cost, money) },
];

/** Why a step failed. @param {Step} step */
const why = ({ error_type: type, error_code: code, error_message: message }) => [type, code, message].filter(Boolean).join(": ");

/** @param {{rows: Step[]}} props */
export function StepTable({ rows }) {
  const keys = rows.map(keyOf);
  const order = place.value.query.order ?? "-start";
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("section.steps")}><table class="runs">
    <thead><tr><th class="mark"><span class="sr">${t("column.marks")}</span><${AllBox} of=${selection} shown=${keys} /></th>
      ${COLUMNS.map((column) => html`<${SortHead} key=${column.name} column=${column} order=${order} />`)}</tr></thead>
    <tbody>${rows.map((step, i) => html`<tr key=${keys[i]} aria-selected=${String(selection.chosen.value.has(keys[i]))}>
      <td class="mark"><${RowBox} of=${selection} row=${keys[i]} shown=${keys} name=${step.name} />
        <span class="state s-${step.has_error ? "failed" : "ok"}"><span aria-hidden="true">${step.has_error ? "✕" : ""}</span>${step.has_error && html`<span class="sr">${t("state.failed")}</span>`}</span></td>
      ${COLUMNS.map((column) => html`<td class="c-${column.name} ${column.isNumber ? "number" : ""}" role=${column.name === "name" ? "rowheader" : undefined} data-label=${t(column.label)} title=${column.title?.(step)}>${column.cell(step)}</td>`)}</tr>`)}</tbody></table></div>`;
}
