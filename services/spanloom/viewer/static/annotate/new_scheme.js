/** A dialog to write a new scheme while judging a run. */
import "../i18n/judging_runs.js";
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { Editor } from "../schemes/editor.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { loadSchemes } from "./current.js";

/** @param {{close: () => void}} props */
export function NewScheme({ close }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => dialog.current?.showModal(), []);
  /** @param {string} name */
  const stored = (name) => void loadSchemes().then(() => change({ annotate: name }, true));
  return html`<dialog ref=${dialog} class="wide" aria-label=${t("annotate.new")} onClose=${close}>
    <h2>${t("annotate.new")}</h2>
    <${Editor} text="" project=${place.peek().query.project} stored=${stored} close=${() => dialog.current?.close()} />
  </dialog>`;
}
