/** What a part of the settings says if its answer was refused. */
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";

/** @param {{error: import("../api.js").ApiError | null}} props */
export const Refused = ({ error }) => (error ? html`<p class="quiet" role="note">${error.message} ${(error.status === 401 || error.status === 403) && t("settings.needs")}</p>` : "");
