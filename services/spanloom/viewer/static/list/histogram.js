/** The runs of the list over time, with the failed runs; a drag, or Enter, zooms to a time. */
import { useEffect, useState } from "../vendor/hooks.js";
import { short } from "../format.js";
import { t } from "../i18n/index.js";
import { question } from "./runs.js";
import { place } from "../state/place.js";
import { faultOf } from "../state/range.js";
import { clipped, failuresIn, layOut, numbersOver } from "../state/over_time.js";
import { Chart } from "../ui/chart.js";
import { html } from "../ui/html.js";
import { zoom } from "./time_range.js";

/** @typedef {import("../state/over_time.js").OverTime} OverTime */

export function Histogram() {
  const { query } = place.value;
  const key = JSON.stringify(question(query));
  const [found, setFound] = useState(/** @type {OverTime | null} */ (null));
  useEffect(() => {
    const until = new AbortController();
    if (!faultOf(query, Date.now())) numbersOver(question(query), "count,rate(has_error)", until.signal).then(setFound, () => {});
    return () => until.abort();
  }, [key]);
  if (!found?.slots.length) return "";
  const all = layOut(found, "count").map((value) => value ?? 0);
  const failed = failuresIn(found).map((value) => value ?? 0);
  const series = [{ name: t("chart.failed"), tone: "failed", values: failed }, { name: t("chart.others"), tone: "fine", values: all.map((n, i) => n - failed[i]) }];
  return html`<${Chart} label=${t("list.over.time")} slots=${found.slots} series=${series} format=${short} isThin
    pick=${(/** @type {number} */ from, /** @type {number} */ to) => zoom(...clipped(found, from, to))} />`;
}
