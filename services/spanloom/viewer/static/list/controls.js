/** Menus of the list as a whole: its columns, its order, and views by name. */
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html, Menu } from "../ui/html.js";
import { later } from "../ui/fetched.js";
import { ViewMenu } from "../views/menu.js";
import { allColumns, useFields } from "./columns.js";

/** @typedef {import("../i18n/index.js").Key} Key */

const Columns = later(async () => (await import("./choose_columns.js")).Columns);

/** The label of a number: that of its column, if there is one. @param {string} name */
function nameOf(name) {
  const column = allColumns().find((one) => one.order === name)?.label ?? `column.${name}`;
  const key = [`order.${name}`, column].find((one) => t(/** @type {Key} */ (one)) !== one);
  return key ? t(/** @type {Key} */ (key)) : name;
}

/** Order by any field that is a number, also without a column. */
function OrderChoice() {
  const order = place.value.query.order ?? "-start";
  const ordered = useFields().filter((one) => one.is_ordered);
  /** @param {Event} event */
  const choose = (event) => {
    const wanted = /** @type {HTMLSelectElement} */ (event.target).value;
    change({ order: wanted === "-start" ? null : wanted, cursor: null, at: null }, true);
  };
  return html`<label class="order">${t("list.order")} <select value=${order} onChange=${choose}>
    ${!ordered.length && html`<option value=${order}>${nameOf(order.replace("-", ""))}</option>`}
    ${ordered.flatMap(({ name }) => [`-${name}`, name]).map((one) => html`<option key=${one} value=${one}>${nameOf(one.replace("-", ""))} ${one.startsWith("-") ? "▾" : "▴"}</option>`)}
  </select></label>`;
}

/** All of them. */
export const Controls = () => html`<${OrderChoice} /><${ViewMenu} of="runs" /><${Menu} label=${t("columns")}><${Columns} /><//>`;
