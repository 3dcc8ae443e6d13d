/** A text line by line, with the findings of each line below it. */
import { html, visible } from "./html.js";

/** @typedef {{line: number, key: string, reason: string, isError: boolean}} Finding */
/** @typedef {{name: () => string, at: (line: number) => string}} Words */

/** @param {{text: string, findings: Finding[], words: Words}} props `words`: the accessible name of the text, and the text that names a line */
export function Source({ text, findings, words }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return html`<ol class="source" aria-label=${words.name()} tabindex="0">${lines.map((one, at) => html`<li key=${at}><code>${visible(one) || " "}</code>
    ${findings.filter(({ line }) => Math.min(line, lines.length) === at + 1).map(({ line, key, reason, isError }) => html`<p class=${isError ? "wrong" : "odd"}>${isError ? "✕" : "⚠"} ${words.at(line)} <code>${visible(key)}</code>: ${visible(reason)}</p>`)}</li>`)}</ol>`;
}
