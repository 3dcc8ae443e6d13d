/** The text of a scheme by its lines, with the remarks on a line below it. */
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";

/** @typedef {{line: number, key: string, reason: string, isError: boolean}} Finding */

/** @param {{text: string, findings: Finding[]}} props */
export function Source({ text, findings }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return html`<ol class="source" aria-label=${t("scheme.source")} tabindex="0">${lines.map((one, at) => html`<li key=${at}><code>${visible(one) || " "}</code>
    ${findings.filter(({ line }) => Math.min(line, lines.length) === at + 1).map(({ line, key, reason, isError }) => html`<p class=${isError ? "wrong" : "odd"}>${isError ? "✕" : "⚠"} ${t("scheme.at", { line })} <code>${visible(key)}</code>: ${visible(reason)}</p>`)}</li>`)}</ol>`;
}
