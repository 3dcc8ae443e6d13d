/** The steps of many runs that match a query. */
import { list as enList } from "../i18n/en/list.js";
import { steps as en } from "../i18n/en/steps.js";
import { learn, t } from "../i18n/index.js";
import { list as zhList } from "../i18n/zh/list.js";
import { steps as zh } from "../i18n/zh/steps.js";
import { useEffect, useLayoutEffect } from "../vendor/hooks.js";
import { FilterBar } from "../list/filter_bar.js";
import { RangeFault } from "../list/range_fault.js";
import { keyOf, load, nextCursor, PAGE, question, rows, selection, sourceOf, total } from "../steps/rows.js";
import { StepTable } from "../steps/table.js";
import { failure } from "../list/runs.js";
import { returns } from "../api.js";
import { change, place } from "../state/place.js";
import { faultOf } from "../state/range.js";
import { DatasetButton, ExportButton, useDatasetKey } from "../ui/dialog_buttons.js";
import { Failure, Frame } from "../ui/frame.js";
import { later } from "../ui/fetched.js";
import { Pager } from "../ui/pager.js";
import { html } from "../ui/html.js";
import { SelectedCount } from "../ui/select_box.js";

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

const ViewMenu = later(async () => (await import("../views/menu.js")).ViewMenu);
const Empty = later(async () => (await import("../list/empty.js")).Empty);
const AddToQueue = later(async () => (await import("../queues/add.js")).AddToQueue);
const EXAMPLES = ["type = tool and error", "type = model and duration > 10s", "type = model and not cost exists", "tool = search_web"];

/** Whether the URL has a filter for the steps. @param {import("../state/place.js").Query} query */
const isRestricted = ({ where, run_where: runs, project, since, until }) => Boolean(where || runs || project || since || until);

export function Page() {
  const { query } = place.value;
  const key = JSON.stringify([question(query), query.order, query.cursor]);
  useEffect(() => void load(query), [key, returns.value]);
  const error = failure.value;
  const isWrong = error?.errors.some((one) => one.parameter === "where");
  return html`<${Frame} title=${t("section.steps")} nav=${html`<${FilterBar} of="steps" />`}>
    <main class="list ${error ? "stale" : ""}"><h1 class="sr">${t("section.steps")}</h1>
      ${faultOf(query, Date.now()) ? html`<${RangeFault} />` : html`
      <div class="tools"><span class="counts" role="status">${total.value === null ? "…" : t("steps.count", { n: total.value })}</span>
        ${query.run_where && html`<span class="chip"><code>${t("steps.of", { where: query.run_where })}</code><button aria-label=${t("filter.remove", { part: query.run_where })} onClick=${() => change({ run_where: null, cursor: null, at: null }, true)}>×</button></span>`}
        <span class="room"></span><${Chosen} /><${ViewMenu} of="steps" /></div>
      ${isWrong ? html`<${Examples} />` : error && html`<${Failure} error=${error} again=${() => load(query)} />`}
      ${!error && rows.value && (rows.value.length ? html`<${StepTable} rows=${rows.value} /><${Pager} at=${Number(query.at ?? 0)} n=${rows.value.length} page=${PAGE} next=${nextCursor.value} />` : (isRestricted(query) ? html`<${Examples} isEmpty />` : html`<${Empty} />`))}`}
    </main><//>`;
}

/** Actions on the selected steps. */
function Chosen() {
  useDatasetKey();
  const key = JSON.stringify(question(place.value.query));
  useLayoutEffect(() => selection.keepIn(key), [key]);
  const sources = [...selection.chosen.value].map(sourceOf);
  if (!sources.length) return "";
  const runs = [...new Map(sources.map(({ trace, project }) => [trace, { trace, project }])).values()];
  return html`<span class="selection"><${SelectedCount} of=${selection} shown=${(rows.value ?? []).map(keyOf)} />
    <${AddToQueue} key=${runs.map((one) => one.trace).join()} ids=${runs.map((one) => one.trace)} />
    <${DatasetButton} class="dataset" sources=${sources} />
    <${ExportButton} sources=${runs} n=${runs.length}>${t("steps.export")}<//>
    <button onClick=${() => selection.clear()}>${t("list.unselect")}</button></span>`;
}

/** @param {{isEmpty?: boolean}} props */
function Examples({ isEmpty = false }) {
  return html`<section class="notice"><h2>${t(isEmpty ? "steps.none" : "steps.wrong")}</h2><p>${t("steps.ask")}</p>
    <ul class="plain">${EXAMPLES.map((one) => html`<li><button onClick=${() => change({ where: one, cursor: null, at: null }, true)}><code>${one}</code></button></li>`)}</ul></section>`;
}
