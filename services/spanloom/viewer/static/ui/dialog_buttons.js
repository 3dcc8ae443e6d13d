/** Buttons that open dialogs, which are loaded on the click. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { useKeys } from "./frame.js";
import { html } from "./html.js";

/** @param {{load: () => Promise<Function>, given: object, class?: string, children: unknown}} props `given`: the properties of the dialog, except `close` */
export function DialogButton({ load, given, class: style = "", children }) {
  const [dialog, setDialog] = useState(/** @type {{Content: Function} | null} */ (null));
  const open = async () => setDialog({ Content: await load() });
  return html`<button class=${style} onClick=${open}>${children}</button>
    ${dialog && html`<${dialog.Content} ...${given} close=${() => setDialog(null)} />`}`;
}

const loadExport = async () => (await import("../export/dialog.js")).ExportDialog;
const loadDataset = async () => (await import("../dataset/dialog.js")).DatasetDialog;

/**
 * @param {{sources: import("../export/collect.js").Sources, n: number, class?: string, children: unknown}} props
 *   `n`: how many runs there are, `Infinity` while that is unknown
 */
export const ExportButton = ({ sources, n, class: style, children }) => html`<${DialogButton} load=${loadExport} given=${{ sources, n }} class=${style}>${children}<//>`;

/** @param {{sources: import("../dataset/dialog.js").Source[], class?: string}} props */
export const DatasetButton = ({ sources, class: style }) => html`<${DialogButton} load=${loadDataset} given=${{ sources }} class=${style}>${t("dataset.open")}<//>`;

/** Registers the key `D`, which clicks the button if the page shows it; always registered, so that the help lists the key. */
export function useDatasetKey() {
  useKeys([{ key: "D", label: "dataset.key", run: () => /** @type {HTMLElement | null} */ (document.querySelector("button.dataset"))?.click() }], []);
}
