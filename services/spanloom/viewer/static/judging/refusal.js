/** Shows a refusal of the service, for several pages and dialogs. */
import { html } from "../ui/html.js";

/** The refusal, in the words of the service. @param {{error: import("../api.js").ApiError | null}} props */
export const Refusal = ({ error }) => html`<p class="refusal" role="alert">${error ? error.message : ""}</p>`;
