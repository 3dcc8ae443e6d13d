/** The button that opens the import dialog; the dialog is loaded on the click. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";

/** @param {{project?: string}} props `project`: the displayed project */
export function ImportButton({ project = "" }) {
  const [dialog, setDialog] = useState(/** @type {typeof import("./dialog.js") | null} */ (null));
  const open = async () => setDialog(await import("./dialog.js"));
  return html`<button onClick=${open}>${t("import.open")}</button>
    ${dialog && html`<${dialog.ImportDialog} project=${project} close=${() => setDialog(null)} />`}`;
}
