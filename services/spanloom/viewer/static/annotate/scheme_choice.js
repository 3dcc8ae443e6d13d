/** Which scheme: those of the project, the presets, and a new one. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { change } from "../state/place.js";
import { html, visible } from "../ui/html.js";
import { later } from "../ui/fetched.js";

const NewScheme = later(async () => (await import("./new_scheme.js")).NewScheme);

/** @param {{schemes: import("./scheme.js").Scheme[], on: string}} props */
export function SchemeChoice({ schemes, on }) {
  const [isOpen, setOpen] = useState(false);
  /** @param {Event} event */
  const choose = (event) => {
    const select = /** @type {HTMLSelectElement} */ (event.target);
    select.blur(); // return the keyboard to the page
    change({ annotate: select.value }, true);
  };
  const own = schemes.filter((one) => one.project !== null);
  const presets = schemes.filter((one) => one.project === null);
  /** @param {string} label @param {typeof schemes} list */
  const group = (label, list) => list.length > 0 && html`<optgroup label=${label}>${list.map((one) => html`<option value=${one.name} selected=${one.name === on}>${visible(one.name)}</option>`)}</optgroup>`;
  return html`<select class="scheme" aria-label=${t("annotate.scheme")} value=${on} onChange=${choose} title=${schemes.find((one) => one.name === on)?.description ?? ""}>${group(t("annotate.own"), own)}${group(t("annotate.presets"), presets)}</select>
    <button class="plus" aria-label=${t("annotate.new")} title=${t("annotate.new")} onClick=${() => setOpen(true)}>+</button>
    ${isOpen && html`<${NewScheme} close=${() => setOpen(false)} />`}`;
}
