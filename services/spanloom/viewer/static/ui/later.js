/** Parts of a page that are loaded when they are shown, so that the first rows do not wait for them. */
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "./html.js";

/**
 * A component that stands for one which is loaded once it is shown.
 * @template {object} P
 * @param {() => Promise<(props: P) => any>} load
 */
export function later(load) {
  /** @type {((props: P) => any) | null} */
  let known = null;
  return (/** @type {P} */ props) => {
    const [, turn] = useState(0);
    useEffect(() => {
      if (!known) load().then((loaded) => { known = loaded; turn(1); }, () => {});
    }, []);
    return known ? html`<${known} ...${props} />` : html`<p class="quiet pad">…</p>`;
  };
}
