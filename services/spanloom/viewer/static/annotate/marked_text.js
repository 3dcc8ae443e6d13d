/** A step's text with its marked places, and the place of a selection in it. */
import { useState } from "../vendor/hooks.js";
import { bytes } from "../format.js";
import { t } from "../i18n/index.js";
import { chosen } from "../run/state.js";
import { html, visible } from "../ui/html.js";
import { session } from "./current.js";
import { relocate } from "./relocated.js";
import { partsOf } from "./parts.js";
import { isIn, piecesOf } from "./pieces.js";
import { cut } from "./segments.js";

/** @typedef {import("./pieces.js").Place} Place */

const FOLDED = 4000;
const MOST = 200_000;
/** The displayed texts, unchanged, by field and part. @type {Map<string, string>} */
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

/** The selection as a place in the text of a step; null if there is none. @returns {Place | null} */
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

/** The offset in the text of a point of the page; inside a character shown by its number, the offset before or after it. @param {Node} node @param {number} at @param {boolean} isEnd */
function offset(node, at, isEnd) {
  const piece = /** @type {HTMLElement | null} */ ((node instanceof Element ? (node.childNodes[Math.min(at, node.childNodes.length - 1)]?.parentElement ?? node) : node.parentElement)?.closest("[data-at]") ?? null);
  if (!piece) return -1;
  const from = Number(piece.dataset.at);
  if (piece.dataset.raw) return from + (isEnd && at > 0 ? Number(piece.dataset.raw) : 0);
  return from + (node instanceof Element ? (at > 0 ? (piece.textContent?.length ?? 0) : 0) : at);
}
