/** Further annotations: a corrected text, places in a text, a note on the whole run; each opens below its button. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";
import { Corrections } from "./corrections.js";
import { hasPieces, piecesOf } from "./pieces.js";
import { Places } from "./places.js";
import { isStepwise } from "./scheme.js";
import { Note } from "./of_run.js";

/** @typedef {import("./session.js").Session} Session */

/** @param {{of: Session, at: string}} props `at`: empty where no step is chosen */
export function Extras({ of, at }) {
  const [open, setOpen] = useState(isStepwise(of.scheme) ? "" : of.scheme.annotation_type === "trajectory_edit" ? "corrections" : "spans");
  const names = /** @type {const} */ (["corrections", "spans"]).filter((name) => at && hasPieces(of, name));
  const count = (/** @type {"corrections" | "spans"} */ name) => piecesOf(of, at, name).length;
  const button = (/** @type {"corrections" | "spans" | "note"} */ name, /** @type {number} */ n) => html`<button class="plain" aria-expanded=${String(open === name)} onClick=${() => setOpen(open === name ? "" : name)}><span aria-hidden="true">${open === name ? "▾" : "▸"}</span> ${t(`extras.${name}`)}${n > 0 && html` <b>${n}</b>`}</button>`;
  const isOpen = (/** @type {"corrections" | "spans"} */ name) => open === name && names.includes(name);
  return html`<div class="extras">${names.map((name) => button(name, count(name)))}${button("note", of.mark("").value.note ? 1 : 0)}${!at && isStepwise(of.scheme) && html`<span class="quiet" role="status">${t("annotate.nostep")}</span>`}</div>
    ${isOpen("corrections") && html`<${Corrections} key=${`corrections ${at}`} of=${of} turn=${of.turn.value} at=${at} />`}
    ${isOpen("spans") && html`<${Places} of=${of} turn=${of.turn.value} at=${at} />`}
    ${open === "note" && html`<${Note} of=${of} turn=${of.turn.value} />`}`;
}
