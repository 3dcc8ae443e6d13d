/** What a step should have said, beside what it said. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";
import { hasPieces, piecesOf, putPieces } from "./pieces.js";
import { useSaid } from "./said.js";

/** @typedef {import("./session.js").Session} Session */

const LONGEST = 20_000;

/** @param {{of: Session, at: string}} props */
export function Corrections({ of, at }) {
  const made = piecesOf(of, at, "corrections");
  const [isOpen, setOpen] = useState(made.length > 0);
  if (!hasPieces(of, "corrections")) return "";
  return html`<details class="corrections" open=${isOpen} onToggle=${(/** @type {Event} */ event) => setOpen(/** @type {HTMLDetailsElement} */ (event.target).open)}><summary>${t("corrections.label")}${made.length > 0 && html` <span class="quiet">${made.map((one) => t(`step.${/** @type {"input"} */ (one.field)}`)).join(", ")}</span>`}</summary>
    ${isOpen && /** @type {const} */ (["output", "input"]).map((field) => html`<${One} key=${field} of=${of} turn=${of.turn.value} at=${at} field=${field} />`)}</details>`;
}

/** @param {{of: Session, at: string, field: "input" | "output"}} props */
function One({ of, at, field }) {
  const said = useSaid(of, at);
  const [isOpen, setOpen] = useState(field === "output");
  const all = piecesOf(of, at, "corrections");
  const mine = all.find((one) => one.field === field);
  const original = mine?.original ?? said?.[field] ?? "";
  const title = t(`step.${field}`);
  if (!mine && !isOpen) return html`<button onClick=${() => setOpen(true)}>${t("corrections.too", { what: title })}</button>`;
  if (original.length > LONGEST) return html`<p class="quiet">${t("corrections.long", { what: title })}</p>`;
  /** @param {Record<string, string>} change */
  const put = (change) => {
    const next = { field, original, edited: original, ...mine, ...change };
    const others = all.filter((one) => one.field !== field);
    putPieces(of, at, "corrections", next.edited === original && !next.reason ? others : [...others, next], true);
  };
  /** @param {string} name */
  const typed = (name) => (/** @type {Event} */ event) => put({ [name]: /** @type {HTMLTextAreaElement} */ (event.target).value });
  return html`<div class="beside"><div><h4>${title}</h4><div class="text original" tabindex="0" role="region" aria-label=${t("corrections.original")}>${original}</div></div>
    <label><h4>${t("corrections.edited")}</h4><textarea rows="5" value=${mine?.edited ?? original} onInput=${typed("edited")}></textarea></label></div>
    ${mine && html`<label class="why"><span>${t("annotate.why")}</span><input value=${mine.reason ?? ""} onInput=${typed("reason")} /></label>`}`;
}
