/** Renders plain text: line breaks are preserved, long text is collapsed, hidden characters are made visible. */
import { useState } from "../vendor/hooks.js";
import { bytes } from "../format.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { html, visible } from "../ui/html.js";

const FOLDED = 2000;
const MOST = 200_000;

/** The position of the URL's search text in a text, otherwise of the last found of its words; -1 if a word is missing. @param {string} text */
export function foundIn(text) {
  const q = (place.peek().query.q ?? "").toLowerCase();
  const words = q.length > 1 ? q.split(/\s+/).filter(Boolean) : [];
  const own = text.toLowerCase();
  const places = words.map((word) => own.indexOf(word));
  const whole = words.length ? own.indexOf(q) : -1;
  return whole >= 0 || places.includes(-1) ? whole : Math.max(...places, -1);
}

/** @param {{text: string}} props */
export function LongText({ text }) {
  const [isOpen, setOpen] = useState(() => foundIn(text) > FOLDED);
  const isLong = text.length > FOLDED;
  const shown = isLong && !isOpen ? text.slice(0, FOLDED) : text.slice(0, MOST);
  return html`<span class="text" dir="auto">${visible(shown)}</span>${isLong && html`<span class="fold">
    <button onClick=${() => setOpen(!isOpen)}>${isOpen ? t("text.less") : t("text.more", { size: bytes(text.length - FOLDED) })}</button>
    ${isOpen && text.length > MOST && html`<span class="quiet">${t("text.cut", { size: bytes(text.length - MOST) })}</span>`}</span>`}`;
}

/** A button that copies plain text. @param {{text: string, label?: string}} props */
export function Copy({ text, label }) {
  const [isDone, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => {
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  });
  return html`<button class="copy" title=${t("copy")} onClick=${copy}>${isDone ? t("copied") : (label ?? t("copy"))}</button>`;
}
