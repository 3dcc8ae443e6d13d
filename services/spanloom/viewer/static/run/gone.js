/** The message for an unknown view in the URL; loaded when it is needed. */
import { t } from "../i18n/index.js";
import "../i18n/run_views.js";
import { change } from "../state/place.js";
import { html, line } from "../ui/html.js";

/** @param {{of: "view" | "graph", named: string, shown: string}} props */
export function GoneView({ of, named, shown }) {
  return html`<span class="chip" role="status"><bdi>${t("view.gone", { name: line(named, 40), shown })}</bdi><button aria-label=${t("view.gone.close")} title=${t("view.gone.close")} onClick=${() => change({ [of]: null })}>×</button></span>`;
}
