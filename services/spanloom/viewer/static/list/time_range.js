/** The choice of a time range: ranges that end now, all time, and from–to. */
import { t } from "../i18n/index.js";
import { faultOf, RANGES, range } from "../state/range.js";
import { change, place } from "../state/place.js";
import { later } from "../ui/fetched.js";
import { html, Menu } from "../ui/html.js";

const FromTo = later(async () => (await import("./from_to.js")).FromTo);

/** Go to another time range, and show the first page of its runs. @param {string | null} since @param {string | null} [until] */
export const goTo = (since, until = null) => change({ since, until, cursor: null, at: null }, true);

/** Go to the time between two moments in ms. @param {number} start @param {number} end */
export const zoom = (start, end) => goTo(new Date(start).toISOString(), new Date(end).toISOString());

export function TimeRange() {
  const { since, until } = place.value.query;
  const isNamed = !until && (!since || RANGES.includes(since));
  return html`<span class="range" role="group" aria-label=${t("range.label")}>
    ${RANGES.map((name) => html`<button aria-pressed=${String(isNamed && since === name)} onClick=${() => goTo(name)}>${t(`range.${/** @type {"1h" | "24h" | "7d" | "30d"} */ (name)}`)}</button>`)}
    <button aria-pressed=${String(!since && !until)} onClick=${() => goTo(null)}>${t("range.all")}</button>
    <${Menu} label=${isNamed ? t("range.own") : html`<span class="own">${inWords()}</span>`} name=${t("range.own")}><${FromTo} /><//></span>`;
}

/** The time range of the URL as text. */
export function inWords() {
  const { query } = place.value;
  if (faultOf(query, Date.now())) return t("range.own");
  const { since, until } = range(query, Date.now());
  /** @param {number} ms */
  const short = (ms) => new Date(ms).toLocaleString(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
  return `${since === null ? "…" : short(since)} – ${until === null ? "…" : short(until)}`;
}
