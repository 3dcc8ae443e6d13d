/** Corrected texts of a step, next to the original ones. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";
import { partsOf } from "./parts.js";
import { isIn, piecesOf, putPieces } from "./pieces.js";
import { useStepTexts } from "./step_texts.js";

/** @typedef {import("./session.js").Session} Session */

const LONGEST = 20_000;

/** @param {{of: Session, at: string}} props */
export function Corrections({ of, at }) {
  const said = useStepTexts(of, at);
  const [isInput, setInput] = useState(piecesOf(of, at, "corrections").some((one) => one.field === "input"));
  if (!said) return html`<p class="quiet">…</p>`;
  const fields = /** @type {const} */ (["output", "input"]).slice(0, isInput ? 2 : 1);
  return html`<div class="corrections">${fields.map((field) => partsOf(said[field]).map(({ part, role, text }) => html`<${One} key=${field + part} of=${of} turn=${of.turn.value} at=${at} field=${field} part=${part} title=${[t(`step.${field}`), role].filter(Boolean).join(" · ")} text=${text} />`))}
    ${!isInput && html`<button onClick=${() => setInput(true)}>${t("corrections.too", { what: t("step.input") })}</button>`}</div>`;
}

/** @param {{of: Session, at: string, field: "input" | "output", part: string, title: string, text: string}} props */
function One({ of, at, field, part, title, text }) {
  const all = piecesOf(of, at, "corrections");
  const mine = all.find((one) => isIn(one, field, part));
  const original = mine?.original ?? text;
  if (original.length > LONGEST) return html`<p class="quiet">${t("corrections.long", { what: title })}</p>`;
  /** @param {Record<string, string>} change */
  const put = (change) => {
    const next = { field, ...(part ? { part } : {}), original, edited: original, ...mine, ...change };
    const others = all.filter((one) => one !== mine);
    putPieces(of, at, "corrections", next.edited === original && !next.reason ? others : [...others, next], true);
  };
  /** @param {string} name */
  const typed = (name) => (/** @type {Event} */ event) => put({ [name]: /** @type {HTMLTextAreaElement} */ (event.target).value });
  const rows = Math.min(12, Math.max(2, Math.ceil(original.length / 44)));
  return html`<div class="beside"><div><h4>${title}</h4><div class="text original" tabindex="0" role="region" aria-label=${t("corrections.original")}>${visible(original)}</div></div>
    <label><h4>${t("corrections.edited")}</h4><textarea rows=${rows} value=${mine?.edited ?? original} onInput=${typed("edited")}></textarea></label></div>
    ${mine && html`<label class="why"><span>${t("field.why")}</span><input required=${of.scheme.reason_required} value=${mine.reason ?? ""} onInput=${typed("reason")} /></label>`}`;
}
