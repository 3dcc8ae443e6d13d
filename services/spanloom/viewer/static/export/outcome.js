/** The result of an export as text: progress, losses, and runs left out with their reasons. */
import { learn, t } from "../i18n/index.js";
import { exporting as en } from "../i18n/en/export.js";
import { formats as enFormats } from "../i18n/en/formats.js";
import { exporting as zh } from "../i18n/zh/export.js";
import { formats as zhFormats } from "../i18n/zh/formats.js";
import { link } from "../state/place.js";
import { html, visible } from "../ui/html.js";

learn({ en: { ...en, ...enFormats }, zh: { ...zh, ...zhFormats } });

const SHOWN = 20;

/** The description of a code, otherwise the message of the service. @param {string} code @param {string} detail */
const wordsOf = (code, detail) => (code ? t(/** @type {"loss.no_agent"} */ (`loss.${code}`)) : visible(detail));

/** The description of a format. @param {string} id */
export const about = (id) => t(/** @type {"format.coze"} */ (`format.${id}`));

/** @param {{state: import("./collect.js").State, n: number}} props `n`: how many runs there are */
export function Outcome({ state: { made, isRunning, error }, n }) {
  return html`<div class="outcome"><p role="status">${summary(made, isRunning, n)}</p>
    ${error && html`<p class="bad" role="alert">${t("export.ended")} ${error.message}</p>`}
    ${made && !isRunning && html`<${Losses} counts=${made.losses} /><${Left} list=${made.skipped} />`}</div>`;
}

/** @param {import("./collect.js").Collected | null} made @param {boolean} isRunning @param {number} n */
function summary(made, isRunning, n) {
  if (isRunning) return Number.isFinite(n) ? t("export.reading", { at: made?.read ?? 0, n }) : t("export.reading.some", { at: made?.read ?? 0 });
  if (!made) return "";
  const lossless = made.written && !Object.keys(made.losses).length ? ` ${t("export.lossless")}` : "";
  return `${t("export.written", { n: made.written })}${lossless}`;
}

/** The losses, in words. @param {{counts: Record<string, number>}} props */
export function Losses({ counts }) {
  const codes = Object.keys(counts).toSorted();
  if (!codes.length) return "";
  return html`<p>${t("export.loses")}</p><ul>${codes.map((code) => html`<li>${t("export.times", { n: counts[code] })} <code>${code}</code>: ${wordsOf(code, code)}</li>`)}</ul>`;
}

/** @param {{list: import("./collect.js").Skipped[]}} props */
function Left({ list }) {
  if (!list.length) return "";
  return html`<p class="bad">${t("export.skipped", { n: list.length })}</p>
    <ul>${list.slice(0, SHOWN).map((one) => html`<li><a href=${link(`/trajectories/${one.trace}`, { project: one.project })}><code>${one.trace}</code></a>: ${one.reason && html`<code>${one.reason}</code> `}${wordsOf(one.reason, one.detail)}</li>`)}</ul>
    ${list.length > SHOWN && html`<p class="quiet">${t("json.more", { n: list.length - SHOWN })}</p>`}`;
}
