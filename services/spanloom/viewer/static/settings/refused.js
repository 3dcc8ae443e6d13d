/** The message in a section of the settings whose request was refused, and what to do. */
import { t } from "../i18n/index.js";
import { isKeyOpen } from "../ui/frame.js";
import { coded, html, visible } from "../ui/html.js";

/** @param {{error: import("../api.js").ApiError | null, needs?: string, again?: () => void}} props `needs`: the kind of key that is needed; `again`: repeats the request */
export function Refused({ error, needs = t("settings.needs"), again = () => location.reload() }) {
  if (!error) return "";
  const isLocked = error.status === 401 || error.status === 403;
  return html`<p class="quiet" role="note">${coded(visible(error.message))} ${isLocked ? needs : ""}
    <button onClick=${isLocked ? () => { isKeyOpen.value = true; } : again}>${t(isLocked ? "switch.key" : "retry")}</button></p>`;
}
