/** The fields by which runs are filtered and ordered, as reported by the service. */
import { useEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { COLUMNS } from "./columns.js";

/** @typedef {import("../i18n/index.js").Key} Key */
/** @typedef {import("../records.js").FieldItem} Field */

const known = signal(/** @type {Field[] | null} */ (null));

/** All fields, of runs and of steps; requested once. @returns {Promise<Field[]>} */
export async function loadFields() {
  known.value ??= (await getJson("/v1/fields")).items;
  return known.value ?? [];
}

/** The typed query with its short forms translated by the service; unchanged if the service does not answer. @param {string} text @returns {Promise<string>} */
export async function questionOf(text) {
  const line = text.trim();
  if (!line) return line;
  return getJson("/v1/where", { line }).then(({ where }) => where, () => line);
}

/** The fields of runs; none until they are loaded. */
export function useFields() {
  useEffect(() => void loadFields().catch(() => {}), []);
  return (known.value ?? []).filter((one) => one.of === "trajectories");
}

/** The label of a number: that of its column, if there is one. @param {string} name */
function nameOf(name) {
  const key = /** @type {Key} */ (`order.${name}`);
  const label = t(key);
  const column = COLUMNS.find((one) => one.order === name);
  return label !== key ? label : column ? t(column.label) : name;
}

/** Order by any field that is a number, also without a column. */
export function OrderChoice() {
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
