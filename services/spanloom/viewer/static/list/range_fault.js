/** The error in the URL's time range, with links that correct it. */
import "../i18n/asking.js";
import { moment } from "../format.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { faultOf, range } from "../state/range.js";
import { html } from "../ui/html.js";
import { goTo } from "./time_range.js";

/** Renders nothing if the range is valid. */
export function RangeFault() {
  const { query } = place.value;
  const fault = faultOf(query, Date.now());
  if (!fault) return "";
  const { since, until } = range(query, Date.now());
  return html`<section class="notice" role="alert"><h2>${t(fault)}</h2>
    <p>${t(`${fault}.do`, { since: show(since, query.since), until: show(until, query.until) })}</p>
    <p>${fault === "range.backwards" && html`<button class="main" onClick=${() => goTo(query.until, query.since && new Date(Number(since)).toISOString())}>${t("range.turn")}</button> `}
      <button onClick=${() => goTo("7d")}>${t("range.7d")}</button> <button onClick=${() => goTo(null)}>${t("range.all")}</button></p></section>`;
}

/** @param {number | null} ms @param {string | undefined} written */
const show = (ms, written) => (ms === null || Number.isNaN(ms) ? (written ?? "") : moment(ms));
