/** Links to the previous and the next page of a list with cursors. */
import { number, t } from "../i18n/index.js";
import { change } from "../state/place.js";
import { html } from "./html.js";

/** @param {{at: number, n: number, page: number, next: string | null}} props `at`: position of the first row, from 0; `n`: displayed rows; `page`: rows of a full page; `next`: the cursor of the next page */
export function Pager({ at, n, page, next }) {
  const back = () => (history.state?.isOurs ? history.back() : change({ cursor: null, at: null }));
  return html`<nav class="pager" aria-label=${t("pages")}>
    <button disabled=${at === 0} onClick=${back}>‹ ${t("pages.before")}</button>
    <span>${number(at + 1)}–${number(at + n)}</span>
    <button disabled=${!next} onClick=${() => change({ cursor: next, at: String(at + page) }, true)}>${t("pages.next")} ›</button>
  </nav>`;
}
