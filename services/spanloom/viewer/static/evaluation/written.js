/** A field for a text in YAML or JSON, with the errors of the service at their lines. */
import { t } from "../i18n/index.js";
import { Refusal } from "../ui/frame.js";
import { html } from "../ui/html.js";
import { Source } from "../ui/source.js";

/** @typedef {import("../api.js").ApiError} ApiError */
/** @typedef {import("../ui/source.js").Finding} Finding */

const WORDS = { name: () => t("written.source"), at: (/** @type {number} */ line) => t("written.at", { line }) };

/** The line of a key path such as `budget.usd` in a text: each name is searched as a key after the previous name. @param {string} text @param {string} place */
function lineOf(text, place) {
  let from = 0;
  for (const name of place.match(/[A-Za-z_]\w*/g) ?? []) {
    const found = text.slice(from).search(new RegExp(`["']?\\b${name}\\b["']?\\s*:`));
    if (found >= 0) from += found;
  }
  return text.slice(0, from).split("\n").length;
}

/** The errors of a refused text, by line. @param {string} text @param {ApiError | null} error @param {number} [before] lines that were sent before the text @returns {Finding[]} */
export function findingsIn(text, error, before = 0) {
  if (error?.status !== 422) return [];
  return error.errors.map(({ parameter, detail }) => {
    const numbered = /^line (\d+): ([\s\S]*)$/.exec(detail);
    const line = numbered ? Math.max(1, Number(numbered[1]) - before) : lineOf(text, parameter);
    return { line, key: parameter, reason: numbered?.[2] ?? detail, isError: true };
  });
}

/** @param {{label: string, text: string, setText: (text: string) => void, error: ApiError | null, findings: Finding[], sent: string, rows?: number, isNeeded?: boolean}} props `sent`: the text that the error is about */
export function Written({ label, text, setText, error, findings, sent, rows = 12, isNeeded = false }) {
  const isShown = findings.length > 0 && sent === text;
  return html`<label class="full">${label}<textarea class="code" rows=${rows} spellcheck=${false} required=${isNeeded} aria-invalid=${String(isShown)} value=${text}
      onInput=${(/** @type {Event} */ event) => setText(/** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea></label>
    <div class="full" role="alert">${isShown ? html`<${Source} text=${text} findings=${findings} words=${WORDS} />` : !findings.length && error && html`<${Refusal} error=${error} />`}</div>`;
}

/** The syntax error of a JSON text, at its line; none if it is valid. @param {string} text @returns {Finding[]} */
export function jsonFaults(text) {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const reason = String(error instanceof Error ? error.message : error);
    const at = /position (\d+)/.exec(reason);
    const line = Number(/line (\d+)/.exec(reason)?.[1] ?? (at ? text.slice(0, Number(at[1])).split("\n").length : text.split("\n").length));
    return [{ line, key: "JSON", reason, isError: true }];
  }
}
