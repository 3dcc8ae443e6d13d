/** A part of the page whose module is loaded when it is needed, and not before the first row. */
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "./html.js";

/**
 * @param {{load: () => Promise<Record<string, unknown>>, part: string} & Record<string, unknown>} props
 *   `part`: the component that the module exports; whatever else is given is given to it
 */
export function Later({ load, part, ...props }) {
  const [shown, setShown] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    void load().then((module) => setShown(() => module[part]));
  }, []);
  return shown ? html`<${shown} ...${props} />` : "";
}
