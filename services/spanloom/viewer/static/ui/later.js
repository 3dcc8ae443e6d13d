/** A part of the page whose module is loaded when it is needed, and not before the first row. */
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "./html.js";

/**
 * @param {{load: () => Promise<Record<string, unknown>>, name: string} & Record<string, unknown>} props
 *   `name`: the component that the module exports; whatever else is given is given to it
 */
export function Later({ load, name, ...props }) {
  const [part, setPart] = useState(/** @type {unknown} */ (null));
  useEffect(() => {
    void load().then((module) => setPart(() => module[name]));
  }, []);
  return part ? html`<${part} ...${props} />` : "";
}
