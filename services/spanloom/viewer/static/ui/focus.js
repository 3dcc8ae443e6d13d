/** Restores the focus when the focused element is removed. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";

/**
 * For a temporary component: if it is removed while it has the focus, the previously focused element gets it back.
 * @returns {{current: any}} a ref of the component
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
