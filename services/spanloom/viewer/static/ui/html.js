/** Building blocks of components: element templates, texts that are safe to read, menus, saved files. */
import htm from "../vendor/htm.js";
import { h } from "../vendor/preact.js";
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";

// Element templates: `html` with tagged templates instead of JSX, so that no build is needed.

export const html = htm.bind(h);

// Makes untrusted texts safe to read: bidirectional controls and invisible characters are shown by their code
// points.

const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Return a text with hidden characters shown as ⟨U+202E⟩. @param {string} text */
export function visible(text) {
  return text.replace(HIDDEN, (one) => `⟨U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Return a text in one line, truncated, with hidden characters shown as ⟨U+202E⟩. @param {string} text @param {number} most characters */
export function line(text, most) {
  const piece = text.slice(0, most + 1).replace(/\s+/g, " ");
  return visible(piece.length > most || text.length > most ? `${piece.slice(0, most)}…` : piece);
}

/** A text of the page in which `words in backticks` become code elements. @param {string} text */
export const coded = (text) => text.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part));

// Restores the focus when the focused element is removed.

/**
 * Give the focus back to the previously focused element if a temporary component is removed while it has the focus.
 * @returns {{current: any}} the ref for the element of the component
 */
export function useFocusBack() {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => {
    const before = document.activeElement;
    const part = box.current;
    return () => {
      if (before instanceof HTMLElement && part?.contains(document.activeElement)) before.focus();
    };
  }, []);
  return box;
}

// A button that opens a menu; Escape or a click outside closes it.

/**
 * @param {{label: import("../vendor/preact.js").Child, name?: string, class?: string, until?: unknown, children?: import("../vendor/preact.js").Child}} props
 *   `name`: the accessible name if the label is a symbol; `until`: when it changes, the menu closes
 */
export function Menu({ label, name, class: style = "", until, children }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  useLayoutEffect(() => { if (isOpen) close(); }, [until]);
  useLayoutEffect(() => { // before the next key or click, which may close it
    if (!isOpen) return undefined;
    /** @param {Event} event */
    const hear = (event) => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? event.key !== "Escape" : box.current?.contains(/** @type {Node} */ (event.target))) return;
      if (isKey) close();
      else setOpen(false);
    };
    addEventListener("pointerdown", hear);
    addEventListener("keydown", hear);
    return () => {
      removeEventListener("pointerdown", hear);
      removeEventListener("keydown", hear);
    };
  }, [isOpen]);
  return html`<span class="menu ${style}" ref=${box}>
    <button type="button" aria-expanded=${String(isOpen)} aria-label=${name} title=${name}
      onClick=${() => setOpen(!isOpen)}>${label}</button>
    ${isOpen && html`<div class="sheet">${children}</div>`}
  </span>`;
}

// Saves a file that the page fetched or created.

/** @param {BlobPart} body @param {string} type its media type @param {string} name of the file */
export function save(body, type, name) {
  const url = URL.createObjectURL(new Blob([body], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
