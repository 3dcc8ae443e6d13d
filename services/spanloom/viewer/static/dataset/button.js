/** Opens the dialog that makes a dataset. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/keys.js";
import { DatasetDialog } from "./dialog.js";

/** @typedef {import("./rows.js").Source} Source */

/** @param {{sources: Source[], class?: string}} props */
export function DatasetButton({ sources, class: style = "" }) {
  const [isOpen, setOpen] = useState(false);
  return html`<button class=${style} onClick=${() => setOpen(true)}>${t("dataset.open")}</button>
    ${isOpen && html`<${DatasetDialog} sources=${sources} close=${() => setOpen(false)} />`}`;
}

/** The same with the key `D`. @param {{sources: Source[]}} props */
export function DatasetKey({ sources }) {
  useKeys([{ key: "D", says: "dataset.open", run: () => /** @type {HTMLElement | null} */ (document.querySelector("button.dataset"))?.click() }], []);
  return html`<${DatasetButton} class="dataset" sources=${sources} />`;
}
