/** The button that opens the export dialog; the dialog is loaded on the click. */
import { useState } from "../vendor/hooks.js";
import { html } from "../ui/html.js";

/** @typedef {import("./collect.js").Source} Source */

/**
 * @param {{sources: import("./collect.js").Sources, n: number, class?: string, children: unknown}} props
 *   `n`: how many runs there are, `Infinity` while that is unknown
 */
export function ExportButton({ sources, n, class: style = "", children }) {
  const [dialog, setDialog] = useState(/** @type {typeof import("./dialog.js") | null} */ (null));
  const open = async () => setDialog(await import("./dialog.js"));
  return html`<button class=${style} onClick=${open}>${children}</button>
    ${dialog && html`<${dialog.ExportDialog} sources=${sources} n=${n} close=${() => setDialog(null)} />`}`;
}
