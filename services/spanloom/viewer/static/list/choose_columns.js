/** The menu that selects and orders the columns. */
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { allColumns, chosenColumns, columnsText } from "./columns.js";
import "./more_columns.js";

/** Choose columns and their order. */
export function Columns() {
  const all = allColumns();
  const names = chosenColumns(place.value.query.columns).map((column) => column.name);
  /** @param {string[]} wanted */
  const choose = (wanted) => change({ columns: columnsText(wanted) });
  /** @param {string} name */
  const turn = (name) => choose(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  /** @param {number} at */
  const forward = (at) => choose(names.map((one, i) => (i === at - 1 ? names[at] : i === at ? names[at - 1] : one)));
  const rest = all.filter((column) => !names.includes(column.name)).map((column) => column.name);
  return html`<ul class="choices">
    ${[...names, ...rest].map((name, at) => {
      const column = /** @type {import("./columns.js").Column} */ (all.find((one) => one.name === name));
      return html`<li key=${name}><label class="check"><input type="checkbox" checked=${at < names.length} onChange=${() => turn(name)} /> ${t(column.label)}</label>
        ${at > 0 && at < names.length && html`<button aria-label=${t("columns.forward", { name: t(column.label) })} title=${t("columns.forward", { name: t(column.label) })} onClick=${() => forward(at)}>↑</button>`}</li>`;
    })}</ul>`;
}
