/** The choice of a time range: four that end now, and from–to. */
import { t } from "../i18n/index.js";
import { faultOf, RANGES, range } from "../state/range.js";
import { change, place } from "../state/place.js";
import { html, Menu } from "../ui/html.js";

/** Go to another range, from the first page on. @param {string | null} since @param {string | null} [until] */
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

/** The range in words. */
export function inWords() {
  const { query } = place.value;
  if (faultOf(query, Date.now())) return t("range.own");
  const { since, until } = range(query, Date.now());
  /** @param {number} ms */
  const short = (ms) => new Date(ms).toLocaleString(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
  return `${since === null ? "…" : short(since)} – ${until === null ? "…" : short(until)}`;
}

/** A moment as an input of date and time wants it, in local time. @param {number | null} ms */
const local = (ms) => (ms === null || Number.isNaN(ms) ? "" : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16));

function FromTo() {
  const { since, until } = range(place.value.query, Date.now());
  /** @param {SubmitEvent} event */
  const take = (event) => {
    event.preventDefault();
    event.stopPropagation();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const [from, to] = ["from", "to"].map((name) => (given.get(name) ? new Date(String(given.get(name))).toISOString() : null));
    goTo(from, to);
  };
  return html`<form class="from-to" onSubmit=${take}>
    <label>${t("range.from")} <input type="datetime-local" name="from" defaultValue=${local(since)} /></label>
    <label>${t("range.to")} <input type="datetime-local" name="to" defaultValue=${local(until)} /></label>
    <p class="quiet">${t("range.zone", { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}</p>
    <button class="main">${t("filter.use")}</button></form>`;
}
