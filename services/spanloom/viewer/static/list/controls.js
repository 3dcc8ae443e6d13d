/** Menus of the list as a whole: its columns, its order, and views by name. */
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html, Menu } from "../ui/html.js";
import { later } from "../ui/fetched.js";
import { ViewMenu } from "../views/menu.js";
import { allColumns, useFields } from "./columns.js";

/** @typedef {import("../i18n/index.js").Key} Key */

const Columns = later(async () => (await import("./choose_columns.js")).Columns);

/** The label of a numeric field: its own text or the label of its column if there is one, otherwise its name. @param {string} name */
function nameOf(name) {
  const column = allColumns().find((one) => one.order === name)?.label ?? `column.${name}`;
  const key = [`order.${name}`, column].find((one) => t(/** @type {Key} */ (one)) !== one);
  return key ? t(/** @type {Key} */ (key)) : name;
}

/** The choice of any numeric field to order by, also of a field without a column. */
function OrderChoice() {
  const order = place.value.query.order ?? "-start";
  const ordered = useFields().filter((one) => one.is_ordered);
  /** @param {Event} event */
  const choose = (event) => go(`-${/** @type {HTMLSelectElement} */ (event.target).value}`);
  const isDown = order.startsWith("-");
  const by = order.replace("-", "");
  /** @param {string} wanted */
  const go = (wanted) => {
    change({ order: wanted === "-start" ? null : wanted, cursor: null, at: null }, true);
  };
  return html`<label class="order">${t("list.order")} <select value=${by} onChange=${choose}>
    ${!ordered.length && html`<option value=${by}>${nameOf(by)}</option>`}
    ${ordered.map(({ name }) => html`<option key=${name} value=${name}>${nameOf(name)}</option>`)}
  </select></label><button class="turn" aria-label=${t("list.turn")} title=${t("list.turn")} onClick=${() => go(isDown ? by : `-${by}`)}>${isDown ? "▾" : "▴"}</button>`;
}

/** All menus of the list. */
export const Controls = () => html`<${OrderChoice} /><${ViewMenu} of="runs" /><${Menu} label=${t("columns")}><${Columns} /><//>`;
