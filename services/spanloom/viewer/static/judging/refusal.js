/** What the service did not take, where several pages and dialogs show it alike. */
import { html } from "../ui/html.js";

/** What the service refused, in its words. @param {{error: import("../api.js").ApiError | null}} props */
export const Refusal = ({ error }) => html`<p class="refusal" role="alert">${error ? error.message : ""}</p>`;
