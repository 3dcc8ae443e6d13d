/** What runs can be asked and ordered by, as the service tells it. */
import { useEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";

/** @typedef {{name: string, of: string, type: string, description: string, operators: string[], example: string, is_ordered: boolean, has_keys: boolean}} Field */

const fields = signal(/** @type {Field[] | null} */ (null));

/** The fields of runs; none until they came. */
export function useFields() {
  useEffect(() => {
    if (fields.peek()) return;
    getJson("/v1/fields").then(
      (told) => { fields.value = told.items.filter((/** @type {Field} */ one) => one.of === "trajectories"); }, () => {});
  }, []);
  return fields.value ?? [];
}

/** Order by whatever has a number, also what is no column. */
export function OrderChoice() {
  const order = place.value.query.order ?? "-start";
  const known = useFields().filter((one) => one.is_ordered);
  /** @param {Event} event */
  const choose = (event) => {
    const wanted = /** @type {HTMLSelectElement} */ (event.target).value;
    change({ order: wanted === "-start" ? null : wanted, cursor: null, at: null }, true);
  };
  return html`<label class="order">${t("list.order")} <select value=${order} onChange=${choose}>
    ${!known.length && html`<option value=${order}>${order}</option>`}
    ${known.flatMap(({ name }) => [`-${name}`, name]).map((one) => html`<option key=${one} value=${one}>${one.replace("-", "")} ${one.startsWith("-") ? "▾" : "▴"}</option>`)}
  </select></label>`;
}
