/** The form for a time range between two moments. */
import "../i18n/asking.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { range, zone } from "../state/range.js";
import { html } from "../ui/html.js";
import { goTo } from "./time_range.js";

/** A time in the format of an input of type `datetime-local`. @param {number | null} ms */
const local = (ms) => (ms === null || Number.isNaN(ms) ? "" : new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16));

/** Two moments in the time zone of the browser. */
export function FromTo() {
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
    <p class="quiet">${t("range.zone", { zone: zone() })}</p>
    <button class="main">${t("range.use")}</button></form>`;
}
