/** Builds a condition from three choices, for users who do not know the query language yet. */
import "../i18n/asking.js";
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { condition, keyed, narrowed } from "../state/filters.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { useFields } from "./columns.js";

/** @typedef {import("./suggest.js").Subject} Subject */

/** @param {Event} event */
const valueOf = (event) => /** @type {HTMLSelectElement} */ (event.target).value;

/** @param {{of: Subject}} props */
export function Choice({ of }) {
  const fields = useFields(of);
  const [name, setName] = useState(of === "steps" ? "type" : "outcome");
  const [values, setValues] = useState(/** @type {string[]} */ ([]));
  const field = fields.find((one) => one.name === name);
  const isListed = field?.type === "text" && !field.has_keys; // the service can list the values of text fields
  useEffect(() => {
    const until = new AbortController();
    setValues([]);
    if (isListed) getJson(`/v1/fields/${name}/values`, { of, limit: 50 }, until.signal).then(
      (data) => setValues(data.items.map((/** @type {{value: unknown}} */ one) => String(one.value))), () => {});
    return () => until.abort();
  }, [name, of, isListed]);
  /** @param {SubmitEvent} event */
  const add = (event) => {
    event.preventDefault();
    event.stopPropagation();
    const given = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const named = keyed(name, String(given.get("key") ?? ""));
    const part = condition(named, String(given.get("operator") ?? ""), String(given.get("value") ?? ""), field?.type ?? "text");
    change({ where: narrowed(place.peek().query.where, part), cursor: null, at: null }, true);
  };
  const isFlag = field?.type === "flag";
  return html`<div class="builder"><select aria-label=${t("filter.field")} value=${name} onChange=${(/** @type {Event} */ e) => setName(valueOf(e))}>
      ${fields.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select>
    <form onSubmit=${add}>
      ${field?.has_keys && html`<input name="key" aria-label=${t("filter.key")} required autocomplete="off" placeholder=${t("filter.key")} />`}
      <select name="operator" aria-label=${t("filter.operator")}>
        ${(isFlag ? ["is", "not"] : (field?.operators ?? ["="])).map((one) => html`<option>${one}</option>`)}</select>
      ${field?.choices.length ? html`<select name="value" aria-label=${t("filter.value")}>${field.choices.map((one) => html`<option>${one}</option>`)}</select>`
        : !isFlag && html`<input name="value" aria-label=${t("filter.value")} list="values" autocomplete="off" placeholder=${t("filter.value")} />
        <datalist id="values">${values.map((one) => html`<option value=${one} />`)}</datalist>`}
      <button class="main">${t("filter.use")}</button>
    </form>
    <p class="quiet">${field?.description} ${field && html`<code>${field.example}</code>`}</p></div>`;
}
