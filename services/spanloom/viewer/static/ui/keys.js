/**
 * Keyboard shortcuts of one letter. They can be switched off (WCAG 2.1.4), never fire while the user is
 * typing, and are listed in the help, which reads them from here.
 */
import { useLayoutEffect } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { kept } from "../state/kept.js";

/** @typedef {import("../i18n/index.js").Key} Key */
/**
 * @typedef {{key: string, says: Key, run: (event: KeyboardEvent) => void, isPressed?: (event: KeyboardEvent) => boolean, isAnywhere?: boolean}} Shortcut
 *   `key`: as the browser names it and the help shows it; `isPressed`: replaces the comparison with `key`; `isAnywhere`: also while typing
 */

export const areOn = kept("keys", true);
/** The shortcuts of the current page. */
export const shortcuts = signal(/** @type {Shortcut[]} */ ([]));

/** Whether a key press belongs to a field or an open dialog, and not to the page. @param {KeyboardEvent} event */
function isWriting(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  return document.querySelector("dialog[open]") !== null || target.closest?.("input:not([type=checkbox]), textarea, select, [role=menu]") !== null;
}

/** Listen to shortcuts while the component is mounted. @param {Shortcut[]} wanted @param {unknown[]} inputs */
export function useKeys(wanted, inputs) {
  useLayoutEffect(() => { // keys must work as soon as the page is visible
    shortcuts.value = [...shortcuts.peek(), ...wanted];
    /** @param {KeyboardEvent} event */
    const listen = (event) => {
      if (event.defaultPrevented) return;
      const isChord = event.ctrlKey || event.metaKey || event.altKey;
      const isLetter = event.key.length === 1 && !isChord;
      const found = wanted.find((one) => (one.isPressed ? one.isPressed(event) : !isChord && one.key === event.key));
      if (!found || (isWriting(event) && !found.isAnywhere) || (isLetter && event.key !== "?" && !areOn.value)) return;
      event.preventDefault();
      found.run(event);
    };
    addEventListener("keydown", listen);
    return () => {
      removeEventListener("keydown", listen);
      shortcuts.value = shortcuts.peek().filter((one) => !wanted.includes(one));
    };
  }, inputs);
}
