/** Where the focus goes when what had it is no longer there. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";

/**
 * For a part that comes and goes: if it goes with the focus in it, what had the focus before gets it back.
 * @returns {{current: any}} a ref of the part
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
