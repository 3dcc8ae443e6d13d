/** The button that opens the dialog for datasets; the dialog is loaded on the click. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";

/** @typedef {import("./dialog.js").Source} Source */

/** @param {{sources: Source[], class?: string}} props */
export function DatasetButton({ sources, class: style = "" }) {
  const [dialog, setDialog] = useState(/** @type {typeof import("./dialog.js") | null} */ (null));
  const open = async () => setDialog(await import("./dialog.js"));
  return html`<button class=${style} onClick=${open}>${t("dataset.open")}</button>
    ${dialog && html`<${dialog.DatasetDialog} sources=${sources} close=${() => setDialog(null)} />`}`;
}

/** Registers the key `D`, which clicks the button if the page shows it; always registered, so that the help lists the key. */
export function useDatasetKey() {
  useKeys([{ key: "D", label: "dataset.key", run: () => /** @type {HTMLElement | null} */ (document.querySelector("button.dataset"))?.click() }], []);
}
