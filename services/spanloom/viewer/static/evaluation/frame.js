/** The frame of the evaluation pages: their navigation, and shared components. */
import { evaluation as en } from "../i18n/en/evaluation.js";
import { learn, t } from "../i18n/index.js";
import { evaluation as zh } from "../i18n/zh/evaluation.js";
import { link, place } from "../state/place.js";
import { Frame } from "../ui/frame.js";
import { html } from "../ui/html.js";

learn({ en, zh });

const PAGES = /** @type {const} */ (["datasets", "experiments", "compare", "online-rules", "alerts"]);

/** @param {{title: string, children?: unknown}} props */
export function Evaluation({ title, children }) {
  const { path, query } = place.value;
  return html`<${Frame} title=${title} nav=${html`<nav class="ways" aria-label=${t("section.evaluation")}>
      ${PAGES.map((name) => html`<a href=${link(`/${name}`, { project: query.project })} aria-current=${path === `/${name}` ? (query.name ? "true" : "page") : null}>${t(`evaluation.${name}`)}</a>`)}</nav>`}>
    <main class="judge evaluation" tabindex="-1"><h1><bdi>${title}</bdi></h1>${children}</main><//>`;
}

/** A table that scrolls sideways if it is too wide; on a phone its rows are blocks. @param {{label: string, class?: string, children?: unknown}} props */
export const Sheet = ({ label, class: style = "", children }) => html`<div class="wide" tabindex="0" role="region" aria-label=${label}><table class="sheet-table stacked ${style}">${children}</table></div>`;

/** The errors at a path in a request, such as `a.where`. @param {import("../api.js").ApiError | null} error @param {string} parameter */
export const errorsAt = (error, parameter) => (error?.errors ?? []).filter((one) => one.parameter === parameter);
