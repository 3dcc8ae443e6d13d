/** Places in the texts of a step: selected in the text, marked with a type of error and a severity. */
import { useEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { markedText } from "../step/panel.js";
import { tab } from "../step/messages.js";
import { html, line, visible } from "../ui/html.js";
import { relocateIn } from "./relocated.js";
import { MarkedText, placeOfSelection } from "./marked_text.js";
import { piecesOf, putPieces } from "./pieces.js";
import { useStepTexts } from "./step_texts.js";
import { subtypesOf, worded } from "./scheme.js";

/** @typedef {import("./session.js").Session} Session */
/** @typedef {import("./pieces.js").Place} Place */

/** The selection in the text on show. */
const selected = signal(/** @type {Place | null} */ (null));

/** @param {{of: Session, at: string}} props */
export function Places({ of, at }) {
  /** @type {Place[]} */
  const places = piecesOf(of, at, "spans");
  useEffect(() => {
    const look = () => { selected.value = placeOfSelection(); };
    markedText.value = MarkedText;
    document.addEventListener("selectionchange", look);
    return () => {
      markedText.value = null;
      document.removeEventListener("selectionchange", look);
    };
  }, []);
  const said = useStepTexts(of, places.length ? at : "");
  const now = tab.value === "text" ? selected.value : null;
  /** @param {Place[]} next */
  const put = (next) => putPieces(of, at, "spans", next);
  const mark = () => { if (now) put([...places, now]); getSelection()?.removeAllRanges(); };
  return html`<div class="places"><p>${tab.value !== "text" ? html`<button onClick=${() => { tab.value = "text"; }}>${t("places.text")}</button>`
        : html`<button disabled=${!now} onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${mark}>${now ? t("places.mark", { text: line(now.text, 40) }) : t("places.select")}</button>`}</p>
    ${places.length > 0 && html`<ul>${places.map((place, k) => html`<${One} key=${k} of=${of} turn=${of.turn.value} place=${place} said=${said} change=${(/** @type {Place | null} */ next) => put(places.flatMap((one, j) => (j !== k ? [one] : next ? [next] : [])))} />`)}</ul>`}</div>`;
}

/** @param {{of: Session, place: Place, said: import("./step_texts.js").Step | null, change: (next: Place | null) => void}} props */
function One({ of: { scheme }, place, said, change }) {
  const found = said ? relocateIn(place, said) : place;
  /** @param {"type" | "subtype" | "severity"} field @param {string[]} names */
  const choice = (field, names) => names.length > 0 && html`<select aria-label=${t(`field.${field}`)} onChange=${(/** @type {Event} */ event) => change({ ...place, ...(field === "type" ? { subtype: "" } : {}), [field]: /** @type {HTMLSelectElement} */ (event.target).value })}>
    <option value="">${t(`field.${field}`)}</option>${names.map((name) => html`<option value=${name} selected=${name === place[field]}>${visible(worded(name))}</option>`)}</select>`;
  return html`<li><q>${line(place.text, 60)}</q> <span class="quiet">${t(`step.${place.field}`)} ${found ? `${found.start}–${found.end}` : t("places.gone")}</span>
    ${choice("type", scheme.error_types.map((one) => one.name))}${choice("subtype", subtypesOf(scheme, place.type ?? ""))}${choice("severity", scheme.severities.map((one) => one.name))}
    <button aria-label=${t("places.remove", { text: line(place.text, 40) })} title=${t("places.remove", { text: line(place.text, 40) })} onClick=${() => change(null)}>×</button></li>`;
}
