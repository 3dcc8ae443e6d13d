/** The first page: the runs that match the filter. */
import { list as en } from "../i18n/en/list.js";
import { learn, t } from "../i18n/index.js";
import { list as zh } from "../i18n/zh/list.js";
import { useEffect, useLayoutEffect, useState } from "../vendor/hooks.js";
import { FilterBar } from "../list/filter_bar.js";
import { Live } from "../list/live.js";
import { answersTo, failure, first, isLoading, load, nextCursor, PAGE, runs, total } from "../list/runs.js";
import { selection, Table } from "../list/table.js";
import { returns } from "../api.js";
import { link, place } from "../state/place.js";
import { faultOf } from "../state/range.js";
import { DatasetButton, DialogButton, ExportButton, useDatasetKey } from "../ui/dialog_buttons.js";
import { Failure, Frame } from "../ui/frame.js";
import { Pager } from "../ui/pager.js";
import { html } from "../ui/html.js";
import { SelectedCount } from "../ui/select_box.js";
import { later } from "../ui/fetched.js";

const loadImport = async () => (await import("../import/dialog.js")).ImportDialog;

learn({ en, zh });

const Controls = later(async () => (await import("../list/controls.js")).Controls);
const Empty = later(async () => (await import("../list/empty.js")).Empty);
const Examples = later(async () => (await import("../list/empty.js")).Examples);
const Histogram = later(async () => (await import("../list/histogram.js")).Histogram);
const RangeFault = later(async () => (await import("../list/range_fault.js")).RangeFault);
const AddToQueue = later(async () => (await import("../queues/add.js")).AddToQueue);

export function Page() {
  const { where, order, cursor, project, duplicate: repeats, has_steps: filled, since, until } = place.value.query;
  useEffect(() => {
    void load();
  }, [where, order, cursor, project, repeats, filled, since, until]);
  useEffect(() => {
    if (isAway()) void load();
  }, [returns.value]);
  const error = failure.value;
  const isWrong = error?.errors.some((one) => one.parameter === "where");
  const rows = runs.value;
  const isShown = rows && (!error || isAway());
  if (faultOf(place.value.query, Date.now())) return html`<${Frame} title=${t("list.title")} nav=${html`<${FilterBar} />`}><main class="list"><${RangeFault} /></main><//>`;
  return html`<${Frame} title=${t("list.title")} nav=${html`<${FilterBar} />`}>
    <main class="list ${error || isLoading.value ? "stale" : ""}">
      <h1 class="sr">${t("list.title")}</h1>
      <div class="tools"><${Counts} /><${Live} /><span class="room"></span><${Selection} /><${ExportAll} /><${DialogButton} load=${loadImport} given=${{ project: project ?? "" }}>${t("import.open")}<//><${Controls} /></div>
      <div class="histogram"><${Histogram} /></div>
      ${isWrong ? html`<${Examples} />` : error && html`<${Failure} error=${error} again=${load} />`}
      ${isShown && (rows.length ? html`<${Table} runs=${rows} /><${Pager} at=${first.value} n=${rows.length} page=${PAGE} next=${nextCursor.value} />` : !error && html`<${Empty} />`)}
    </main>
  <//>`;
}

/** Whether the service did not respond, so that the displayed rows are older results. */
const isAway = () => failure.value?.status === 0;

function Counts() {
  const known = total.value;
  return html`<span class="counts" role="status">${known === null ? (isLoading.value ? "…" : "") : t("list.count", { n: known })}</span>`;
}

/** Exports all runs of the query, not only the displayed page. */
function ExportAll() {
  const { query } = place.value;
  if (!runs.value?.length) return "";
  return html`<${ExportButton} sources=${(/** @type {number} */ most) => answersTo(query, most)} n=${total.value ?? Infinity}>${t("export.all")}<//>`;
}

function Selection() {
  useDatasetKey();
  const { where, project, since, until } = place.value.query;
  useLayoutEffect(() => selection.keepIn(link("", { where, project, since, until })), [where, project, since, until]);
  const chosen = [...selection.chosen.value];
  const [isCopied, setCopied] = useState(false);
  useEffect(() => setCopied(false), [selection.chosen.value]);
  const shown = (runs.value ?? []).map((run) => run.trace_id);
  if (!chosen.length) return "";
  return html`<span class="selection"><${SelectedCount} of=${selection} shown=${shown} />
    ${chosen.length === 2 ? html`<a class="button" href=${link("/diff", { a: chosen[0], b: chosen[1] })}>${t("list.compare")}</a>` : html`<button disabled title=${t("list.compare.two")}>${t("list.compare")}</button>`}
    <${AddToQueue} key=${chosen.join()} ids=${chosen} />
    <${DatasetButton} class="dataset" sources=${chosen.map((trace) => ({ trace, project: place.value.query.project }))} />
    <${ExportButton} sources=${chosen.map((trace) => ({ trace, project: place.value.query.project }))} n=${chosen.length}>${t("export.open")}<//>
    <button onClick=${() => navigator.clipboard.writeText(chosen.join("\n")).then(() => setCopied(true), () => {})}>${t(isCopied ? "copied" : "list.copy")}</button>
    <button onClick=${() => selection.clear()}>${t("list.unselect")}</button></span>`;
}
