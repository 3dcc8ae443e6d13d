/** Lets an annotator mark passages in a step's texts, and correct the texts. */
import { useEffect, useState } from "../vendor/hooks.js";
import { bytes } from "../format.js";
import { t } from "../i18n/index.js";
import { chosen } from "../run/state.js";
import { html, line, visible } from "../ui/html.js";
import { session } from "./current.js";
import { cut, isIn, partsOf, piecesOf, putPieces, relocate, relocateIn, useStepTexts } from "./pieces.js";
import { signal } from "../vendor/signals.js";
import { markedText } from "../step/panel.js";
import { tab } from "../step/messages.js";
import { subtypesOf, worded } from "./scheme.js";

// A step's text with its marked passages, and the position of a selection in the text.

/** @typedef {import("./pieces.js").Place} Place */

const FOLDED = 4000;
const MOST = 200_000;
/** The displayed texts as stored, keyed by field and part. @type {Map<string, string>} */
const texts = new Map();

/** @param {{text: string, field: "input" | "output"}} props */
export function MarkedText({ text, field }) {
  return partsOf(text).map(({ part, role, text: its }) => html`${role && html`<h4 class="quiet">${visible(role)}</h4>`}<${Marked} key=${part} field=${field} part=${part} text=${its} />`);
}

/** @param {{text: string, field: "input" | "output", part: string}} props */
function Marked({ text, field, part }) {
  const [isOpen, setOpen] = useState(false);
  const of = session.value;
  texts.set(`${field} ${part}`, text);
  if (!of || of.turn.value < 0) return "";
  const at = of.steps.isStep(chosen.value) ? of.steps.id(chosen.value) : "";
  /** @param {any[]} list @param {boolean} isMine */
  const there = (list, isMine) => list.filter((one) => isIn(one, field, part) && (one.step_id ?? at) === at)
    .flatMap((one) => { const found = relocate(one, text); return found ? [{ ...found, isMine }] : []; });
  const others = (of.others.get(at) ?? []).flatMap((row) => (Array.isArray(row.value.spans) ? row.value.spans : []));
  const shown = text.slice(0, isOpen ? MOST : FOLDED);
  return html`<span class="text" dir="auto" data-field=${field} data-part=${part}>${cut(shown, [...there(piecesOf(of, at, "spans"), true), ...there(others, false)]).map(({ start, end, mine, theirs }) => {
    const raw = shown.slice(start, end);
    const seen = visible(raw);
    return html`<span data-at=${start} data-raw=${seen === raw ? null : end - start} class=${mine || theirs ? `place ${mine ? "mine" : ""} ${mine + theirs > 1 ? "many" : ""}` : null}>${seen}</span>`;
  })}</span>${text.length > FOLDED && html`<span class="fold"><button onClick=${() => setOpen(!isOpen)}>${isOpen ? t("text.less") : t("text.more", { size: bytes(text.length - FOLDED) })}</button></span>`}`;
}

/** The selected passage in the text of a step; null if nothing is selected. @returns {Place | null} */
export function placeOfSelection() {
  const selection = getSelection();
  if (!selection?.rangeCount || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  const box = range.commonAncestorContainer instanceof Element ? range.commonAncestorContainer : range.commonAncestorContainer.parentElement;
  const within = /** @type {HTMLElement | null} */ (box?.closest("[data-field]") ?? null);
  const [start, end] = [offset(range.startContainer, range.startOffset, false), offset(range.endContainer, range.endOffset, true)];
  if (!within || start < 0 || end <= start) return null;
  const { field, part } = within.dataset;
  const text = (texts.get(`${field} ${part}`) ?? "").slice(start, end);
  return { field: /** @type {"input" | "output"} */ (field), ...(part ? { part } : {}), start, end, text };
}

/** The offset in the text for a point in the DOM; in a character shown as its code point, the offset before or after it. @param {Node} node @param {number} at @param {boolean} isEnd */
function offset(node, at, isEnd) {
  const piece = /** @type {HTMLElement | null} */ ((node instanceof Element ? (node.childNodes[Math.min(at, node.childNodes.length - 1)]?.parentElement ?? node) : node.parentElement)?.closest("[data-at]") ?? null);
  if (!piece) return -1;
  const from = Number(piece.dataset.at);
  if (piece.dataset.raw) return from + (isEnd && at > 0 ? Number(piece.dataset.raw) : 0);
  return from + (node instanceof Element ? (at > 0 ? (piece.textContent?.length ?? 0) : 0) : at);
}

// Marked passages in the texts of a step: selected by the annotator, with a type of error and a severity.

/** @typedef {import("./session.js").Session} Session */

/** The selection in the displayed text. */
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
  const stepTexts = useStepTexts(of, places.length ? at : "");
  const now = tab.value === "text" ? selected.value : null;
  /** @param {Place[]} next */
  const put = (next) => putPieces(of, at, "spans", next);
  const mark = () => { if (now) put([...places, now]); getSelection()?.removeAllRanges(); };
  return html`<div class="places"><p>${tab.value !== "text" ? html`<button onClick=${() => { tab.value = "text"; }}>${t("places.text")}</button>`
        : html`<button disabled=${!now} onPointerDown=${(/** @type {Event} */ event) => event.preventDefault()} onClick=${mark}>${now ? t("places.mark", { text: line(now.text, 40) }) : t("places.select")}</button>`}</p>
    ${places.length > 0 && html`<ul>${places.map((place, k) => html`<${PlaceLine} key=${k} of=${of} turn=${of.turn.value} place=${place} stepTexts=${stepTexts} change=${(/** @type {Place | null} */ next) => put(places.flatMap((one, j) => (j !== k ? [one] : next ? [next] : [])))} />`)}</ul>`}</div>`;
}

/** @param {{of: Session, place: Place, stepTexts: import("./pieces.js").Step | null, change: (next: Place | null) => void}} props */
function PlaceLine({ of: { scheme }, place, stepTexts, change }) {
  const found = stepTexts ? relocateIn(place, stepTexts) : place;
  /** @param {"type" | "subtype" | "severity"} field @param {string[]} names */
  const choice = (field, names) => names.length > 0 && html`<select aria-label=${t(`field.${field}`)} onChange=${(/** @type {Event} */ event) => change({ ...place, ...(field === "type" ? { subtype: "" } : {}), [field]: /** @type {HTMLSelectElement} */ (event.target).value })}>
    <option value="">${t(`field.${field}`)}</option>${names.map((name) => html`<option value=${name} selected=${name === place[field]}>${visible(worded(name))}</option>`)}</select>`;
  return html`<li><q>${line(place.text, 60)}</q> <span class="quiet">${t(`step.${place.field}`)} ${found ? `${found.start}–${found.end}` : t("places.gone")}</span>
    ${choice("type", scheme.error_types.map((one) => one.name))}${choice("subtype", subtypesOf(scheme, place.type ?? ""))}${choice("severity", scheme.severities.map((one) => one.name))}
    <button aria-label=${t("places.remove", { text: line(place.text, 40) })} title=${t("places.remove", { text: line(place.text, 40) })} onClick=${() => change(null)}>×</button></li>`;
}

// Corrected texts of a step, next to the original texts.

const LONGEST = 20_000;

/** @param {{of: Session, at: string}} props */
export function Corrections({ of, at }) {
  const stepTexts = useStepTexts(of, at);
  const [isInput, setInput] = useState(piecesOf(of, at, "corrections").some((one) => one.field === "input"));
  if (!stepTexts) return html`<p class="quiet">…</p>`;
  const fields = /** @type {const} */ (["output", "input"]).slice(0, isInput ? 2 : 1);
  return html`<div class="corrections">${fields.map((field) => partsOf(stepTexts[field]).map(({ part, role, text }) => html`<${Correction} key=${field + part} of=${of} turn=${of.turn.value} at=${at} field=${field} part=${part} title=${[t(`step.${field}`), role].filter(Boolean).join(" · ")} text=${text} />`))}
    ${!isInput && html`<button onClick=${() => setInput(true)}>${t("corrections.too", { what: t("step.input") })}</button>`}</div>`;
}

/** @param {{of: Session, at: string, field: "input" | "output", part: string, title: string, text: string}} props */
function Correction({ of, at, field, part, title, text }) {
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
