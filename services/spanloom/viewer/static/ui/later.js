/** Components that are loaded when they are shown, so that the first rows do not wait for them. */
import { useEffect, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { missing, useAgain } from "./fetched.js";
import { html } from "./html.js";

/**
 * Return a placeholder component that loads the actual one when it is shown.
 * @template {object} P
 * @param {() => Promise<(props: P) => any>} load
 */
export function later(load) {
  /** @type {((props: P) => any) | null} */
  let known = null;
  return (/** @type {P} */ props) => {
    const [error, setError] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
    const [turn, again] = useAgain(error);
    const [, draw] = useState(false);
    useEffect(() => {
      if (!known) load().then((loaded) => { known = loaded; draw(true); }, () => setError(missing()));
    }, [turn]);
    if (known) return html`<${known} ...${props} />`;
    return error ? html`<p class="pad" role="alert">${t("error.unreachable")} <button onClick=${again}>${t("retry")}</button></p>` : html`<p class="quiet pad">…</p>`;
  };
}
