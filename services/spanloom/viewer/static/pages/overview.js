/** Metrics of the runs in a query and a time range: charts over time, and tables of the largest groups. */
import { overview as en } from "../i18n/en/overview.js";
import { list as enList } from "../i18n/en/list.js";
import { learn, t } from "../i18n/index.js";
import { overview as zh } from "../i18n/zh/overview.js";
import { list as zhList } from "../i18n/zh/list.js";
import { useEffect } from "../vendor/hooks.js";
import { Charts } from "../overview/charts.js";
import { error, load, pinned, totals } from "../overview/numbers.js";
import { Tiles } from "../overview/tiles.js";
import { Tops } from "../overview/tops.js";
import { Empty, Examples } from "../list/empty.js";
import { FilterBar } from "../list/filter_bar.js";
import { question } from "../list/runs.js";
import { RangeFault } from "../list/range_fault.js";
import { returns } from "../api.js";
import { place } from "../state/place.js";
import { faultOf } from "../state/range.js";
import { Failure, Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { later } from "../ui/fetched.js";

const ViewMenu = later(async () => (await import("../views/menu.js")).ViewMenu);

learn({ en: { ...enList, ...en }, zh: { ...zhList, ...zh } });

export function Page() {
  const { query } = place.value;
  const params = JSON.stringify(question(query));
  useEffect(() => void load(query), [params, returns.value]);
  const isWrong = error.value?.errors.some((one) => one.parameter === "where");
  return html`<${Frame} title=${t("section.overview")} nav=${html`<${FilterBar} />`}>
    <main class="overview" tabindex="-1"><div class="tools"><h1>${t("section.overview")}</h1><span class="room"></span><${ViewMenu} of="overview" /></div>${faultOf(query, Date.now()) ? html`<${RangeFault} />`
      : isWrong ? html`<${Examples} />`
      : error.value ? html`<${Failure} error=${error.value} again=${() => load(query)} />`
      : totals.value?.count === 0 ? html`<${Empty} />` : pinned.value && html`<${Tiles} /><${Charts} /><${Tops} params=${pinned.value} />`}</main>
  <//>`;
}
