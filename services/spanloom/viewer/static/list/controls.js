/** Menus of the list as a whole: its columns, its order, and views by name. */
import { kept } from "../state/reader.js";
import { t } from "../i18n/index.js";
import { change, place, show } from "../state/place.js";
import { html, Menu } from "../ui/html.js";
import { later } from "../ui/fetched.js";
import { allColumns, useFields } from "./columns.js";

/** @typedef {import("../i18n/index.js").Key} Key */

const Columns = later(async () => (await import("./choose_columns.js")).Columns);

const views = kept("views", /** @type {Record<string, string>} */ ({}));
const GIVEN = /** @type {const} */ ([
  ["view.failed", "where=outcome+%3D+failed"],
  ["view.paused", "where=outcome+%3D+paused"],
  ["view.slow", "order=-duration"],
  ["view.costly", "order=-cost"],
  ["view.loops", "where=longest_repeat+%3E%3D+3&order=-longest_repeat"],
]);

/** Views by their names: queries of the address, kept in this browser. */
function ViewMenu() {
  /** @param {string} text */
  const open = (text) => show(new URLSearchParams(text), true);
  /** @param {SubmitEvent} event */
  const save = (event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const name = String(new FormData(form).get("name") ?? "").trim();
    const query = new URLSearchParams(location.search);
    query.delete("cursor");
    if (name) views.value = { ...views.value, [name]: query.toString() };
    form.reset();
  };
  /** @param {string} name */
  const forget = (name) => {
    const { [name]: _, ...others } = views.value;
    views.value = others;
  };
  return html`<${Menu} label=${t("views")}><ul class="choices">
      ${Object.entries(views.value).map(([name, text]) => html`<li key=${name}><button class="plain" onClick=${() => open(text)}>${name}</button>
        <button aria-label=${t("views.forget", { name })} title=${t("views.forget", { name })} onClick=${() => forget(name)}>×</button></li>`)}
      ${GIVEN.map(([label, text]) => html`<li><button class="plain" onClick=${() => open(text)}>${t(label)}</button></li>`)}
      <li><button class="plain" onClick=${() => open("")}>${t("view.all")}</button></li>
    </ul>
    <form class="save" onSubmit=${save}><input name="name" maxlength="60" required aria-label=${t("views.name")} placeholder=${t("views.name")} />
      <button class="main">${t("views.save")}</button></form><//>`;
}

/** The label of a number: that of its column, if there is one. @param {string} name */
function nameOf(name) {
  const key = /** @type {Key} */ (`order.${name}`);
  const label = t(key);
  const column = allColumns().find((one) => one.order === name);
  return label !== key ? label : column ? t(column.label) : name;
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
export const Controls = () => html`<${OrderChoice} /><${ViewMenu} /><${Menu} label=${t("columns")}><${Columns} /><//>`;
