/** Downloads a run or a conversation as one HTML file from the service: fetched, as a link would send no API key. */
import { useState } from "../vendor/hooks.js";
import { getBytes } from "../api.js";
import { t } from "../i18n/index.js";
import { html, save } from "../ui/html.js";
import { asked, runPath } from "./state.js";

/** @param {{path?: string, params?: import("../api.js").Params, name?: string, paper?: string}} props `path`: in the API, `name`: of the file, `paper`: text that is printed in addition to the visible part */
export function ExportButton({ path = runPath(), params = asked(), name = path.split("/")[3], paper = t("export.paper") }) {
  const [failed, setFailed] = useState("");
  const fetchIt = async () => {
    try {
      save(await getBytes(`${path}/export.html`, params), "text/html", `${name}.html`);
      setFailed("");
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  return html`<button class="copy" title=${t("export.means")} onClick=${fetchIt}>${t("export.html")}</button>
    ${paper && html`<p class="on-paper">${paper}</p>`}
    ${failed && html`<span role="alert" class="bad">${failed}</span>`}`;
}
