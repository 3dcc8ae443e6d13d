/** The head of a column that orders a list. */
import { t } from "../i18n/index.js";
import { change } from "../state/place.js";
import { html } from "./html.js";

/** `order`: the field by which the column orders the list. @typedef {{label: import("../i18n/index.js").Key, order?: string, isNumber?: boolean}} Headed */

/** The head of a column: a click orders by the column, largest first; another click reverses the order. @param {{column: Headed, order: string}} props */
export function SortHead({ column, order }) {
  const label = t(column.label);
  if (!column.order) return html`<th class=${column.isNumber ? "number" : ""}>${label}</th>`;
  const isDown = order === `-${column.order}`;
  const isUp = order === column.order;
  const arrow = html`<span class="arrow" aria-hidden="true">${isDown ? "▾" : isUp ? "▴" : ""}</span>`;
  const next = isDown ? column.order : `-${column.order}`;
  return html`<th class=${column.isNumber ? "number" : ""} aria-sort=${isDown ? "descending" : isUp ? "ascending" : "none"}>
    <button class="sort" title=${t("list.sort", { label })} onClick=${() => change({ order: next === "-start" ? null : next, cursor: null, at: null }, true)}>
      ${column.isNumber ? html`${arrow}${label}` : html`${label}${arrow}`}</button></th>`;
}
