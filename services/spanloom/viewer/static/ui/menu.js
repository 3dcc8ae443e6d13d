/** A button that opens a menu; Escape or a click outside closes it. */
import { useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "./html.js";

/**
 * @param {{label: import("../vendor/preact.js").Child, name?: string, class?: string, children?: import("../vendor/preact.js").Child}} props
 *   `name`: the accessible name if the label is a symbol
 */
export function Menu({ label, name, class: style = "", children }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => { // before the next key or click, which may close it
    if (!isOpen) return undefined;
    /** @param {Event} event */
    const close = (event) => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? event.key !== "Escape" : box.current?.contains(/** @type {Node} */ (event.target))) return;
      setOpen(false);
      if (isKey) box.current?.querySelector("button")?.focus();
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, [isOpen]);
  return html`<span class="menu ${style}" ref=${box}>
    <button type="button" aria-expanded=${String(isOpen)} aria-label=${name} title=${name}
      onClick=${() => setOpen(!isOpen)}>${label}</button>
    ${isOpen && html`<div class="sheet">${children}</div>`}
  </span>`;
}
