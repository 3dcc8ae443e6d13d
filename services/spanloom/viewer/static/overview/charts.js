/** Charts of the metrics over time; a click on an interval opens its runs, a drag zooms. */
import { duration, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { zoom } from "../list/time_range.js";
import { link, place } from "../state/place.js";
import { clipped, failuresIn, layOut } from "../state/over_time.js";
import { Chart } from "../ui/chart.js";
import { html } from "../ui/html.js";
import { overTime } from "./numbers.js";

export function Charts() {
  const found = overTime.value;
  if (!found?.slots.length) return "";
  const runs = layOut(found, "count");
  const failed = failuresIn(found);
  const others = runs.map((n, i) => (n === null ? null : n - (failed[i] ?? 0)));
  /** Zoom to the chosen intervals if there are several; open the runs of a single interval. @param {number} from @param {number} to */
  const pick = (from, to) => {
    const [start, end] = clipped(found, from, to);
    if (to > from) return zoom(start, end);
    const { where, project } = place.peek().query;
    location.assign(link("/", { where, project, since: new Date(start).toISOString(), until: new Date(end).toISOString() }));
  };
  /** @param {string} metric */
  const of = (metric) => layOut(found, metric);
  const tokens = [{ name: t("overview.tokens"), tone: "input", values: of("sum(input_tokens)") }, { name: t("overview.tokens.out"), tone: "output", values: of("sum(output_tokens)") }];
  const times = [{ name: t("overview.p50"), tone: "input", values: of("p50(duration)") }, { name: t("overview.p95"), tone: "output", values: of("p95(duration)") }];
  return html`<div class="charts"><p class="quiet">${t("overview.pick")}</p>
    <${Chart} label=${t("overview.runs.over")} slots=${found.slots} format=${short} pick=${pick}
      series=${[{ name: t("chart.failed"), tone: "failed", values: failed }, { name: t("chart.others"), tone: "fine", values: others }]} />
    <${Chart} label=${t("overview.cost.over")} slots=${found.slots} format=${money} pick=${pick} series=${[{ name: t("overview.cost"), tone: "input", values: of("sum(cost)") }]} />
    <${Chart} label=${t("overview.tokens.over")} slots=${found.slots} format=${short} pick=${pick} series=${tokens} />
    <${Chart} label=${t("overview.duration.over")} slots=${found.slots} format=${duration} pick=${pick} series=${times} isLine />
  </div>`;
}
