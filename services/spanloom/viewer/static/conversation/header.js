/** The header of a conversation: number of runs, time range, and totals. */
import { useMemo } from "../vendor/hooks.js";
import { duration, moment, money, short } from "../format.js";
import { DatasetButton } from "../dataset/button.js";
import { t } from "../i18n/index.js";
import { Errors, ExportButton } from "../run/views.js";
import { place } from "../state/place.js";
import { html, visible } from "../ui/html.js";
import { areAll, conversationPath, runs } from "./runs.js";

/** @typedef {import("../list/run.js").Run} Run */

/** @param {Run[]} list */
function sums(list) {
  const of = (/** @type {(run: Run) => number} */ value) => list.reduce((sum, run) => sum + value(run), 0);
  const costs = list.filter((run) => run.cost !== null);
  return {
    busy: of((run) => Number(run.duration)), tin: of((run) => run.input_tokens), tout: of((run) => run.output_tokens), failures: of((run) => run.failures),
    spans: of((run) => run.span_count), cost: costs.length ? costs.reduce((sum, run) => sum + Number(run.cost), 0) : null, uncosted: list.length - costs.length,
    until: list.reduce((last, run) => Math.max(last, Number(run.started_at) + Number(run.duration)), 0),
  };
}

export function Header() {
  const list = runs.value;
  const total = useMemo(() => sums(list ?? []), [list]);
  const { id = "", project } = place.value.query;
  if (!list) return html`<header class="run-head"></header>`;
  const held = areAll.value ? "" : "held"; // reserves its space, so that nothing below moves when the rest arrives
  const user = list.find((run) => run.user_id)?.user_id;
  return html`<header class="run-head">
    <div class="title"><h1><bdi>${visible(id)}</bdi></h1>
      <span class="quiet">${moment(Number(list[0].started_at))}${areAll.value && ` – ${moment(total.until)}`}</span>
      <${ExportButton} path=${conversationPath()} params=${{ project }} name=${id.replace(/[^\p{L}\p{N}._-]+/gu, "-")} paper=${t("conversation.paper")} />
      ${areAll.value && html`<${DatasetButton} class="copy" sources=${list.map((run) => ({ trace: run.trace_id, project: run.project }))} />`}</div>
    <dl class="facts">
      <div class=${held}><dt>${t("conversation.runs")}</dt><dd>${list.length}</dd></div>
      ${user && html`<div><dt>${t("column.user")}</dt><dd><bdi>${visible(user)}</bdi></dd></div>`}
      <div class=${held} title=${t("conversation.busy.means")}><dt>${t("conversation.busy")}</dt><dd>${duration(total.busy)}</dd></div>
      <div class=${held} title=${`${total.tin} / ${total.tout}`}><dt>${t("metric.tokens")}</dt><dd>${short(total.tin)} / ${short(total.tout)}</dd></div>
      ${total.cost !== null && html`<div class=${held} title=${total.uncosted ? t("conversation.uncosted", { n: total.uncosted }) : ""}><dt>${t("column.cost")}</dt><dd>${total.uncosted ? "≥ " : ""}${money(total.cost)}</dd></div>`}
      <div class=${held}><dt>${t("column.spans")}</dt><dd>${short(total.spans)}</dd></div>
      <div class=${held}><dt>${t("column.errors")}</dt><dd><${Errors} n=${total.failures} /></dd></div>
    </dl></header>`;
}
