/** Checkboxes that select rows of a list. */
import { t } from "../i18n/index.js";
import { html } from "./html.js";

/** @typedef {import("../state/selection.js").Selection} Selection */

/** The checkbox of a row; with Shift it selects all rows from the last selected row to this row. @param {{of: Selection, row: string, shown: string[], name: string}} props */
export const RowBox = ({ of, row, shown, name }) => html`<label><input type="checkbox" checked=${of.chosen.value.has(row)} aria-label=${t("list.select", { name })}
  onClick=${(/** @type {MouseEvent} */ event) => of.turn(row, event.shiftKey ? shown : undefined)} /></label>`;

/** The checkbox for all displayed rows. @param {{of: Selection, shown: string[]}} props */
export const AllBox = ({ of, shown }) => html`<label><input type="checkbox" checked=${shown.length > 0 && shown.every((key) => of.chosen.value.has(key))}
  aria-label=${t("list.select.all")} title=${t("list.select.all")} onChange=${() => of.turnAll(shown)} /></label>`;

/** The number of selected rows, and how many of them are not displayed. @param {{of: Selection, shown: string[]}} props */
export function SelectedCount({ of, shown }) {
  const out = of.outside(shown);
  return html`<span role="status">${t("list.selected", { n: of.chosen.value.size })}${out > 0 && `, ${t("list.selected.outside", { n: out })}`}</span>`;
}
