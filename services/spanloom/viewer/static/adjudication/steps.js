/** A row for each step: each annotator's annotation, and the decision. */
import { useState } from "../vendor/hooks.js";
import { worded } from "../annotate/scheme.js";
import { t } from "../i18n/index.js";
import { none } from "../judging/parts.js";
import { annotator } from "../state/reader.js";
import { change } from "../state/place.js";
import { asError } from "../ui/fetched.js";
import { html, line, visible } from "../ui/html.js";
import { decide, differs, editOf } from "./decisions.js";
import { Decision } from "./decision.js";
import { errorOf, linesOf } from "./words.js";

/** @typedef {import("./decisions.js").Row} Row */
/** @typedef {import("./decisions.js").Said} Said */
/** @typedef {import("../annotate/scheme.js").Scheme} Scheme */
/** @typedef {import("../tree/outline.js").Outline} Outline */

/** Where the step is below the table (style/judging.css). */
const IS_BELOW = "(max-width: 860px)";

/** @param {{rows: Row[], scheme: Scheme, isAll: boolean, trace: string, project: string | undefined, again: () => void, outline: Outline}} props */
export function Steps({ rows, scheme, isAll, trace, project, again, outline }) {
  const [failed, setFailed] = useState(/** @type {{step: string, why: string} | null} */ (null));
  const people = [...new Set(rows.flatMap((row) => [...row.said.keys()]))].sort();
  const shown = isAll ? rows : rows.filter((row) => differs(row) || row.decided);
  /** @param {string} step @param {object} edit */
  const store = (step, edit) => decide(trace, project, scheme.name, step, edit).then(() => { setFailed(null); again(); }, (why) => setFailed({ step, why: asError(why).message }));
  if (!shown.length) return html`<p>${rows.length ? t("adjudication.alike") : t("adjudication.nothing")}</p>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label=${t("adjudication.title")}><table class="sheet-table decisions stacked">
    <thead><tr><th>${t("judging.step")}</th>${people.map((who) => html`<th><bdi>${visible(who)}</bdi></th>`)}<th>${t("adjudication.decision")}</th></tr></thead>
    <tbody>${shown.map((row) => html`<tr key=${row.step} class=${differs(row) ? "differ" : ""}>
      <td><${StepName} row=${row} outline=${outline} /></td>
      ${people.map((who) => html`<td data-label=${visible(who)}><div><${Says} said=${row.said.get(who)} scheme=${scheme} outline=${outline} take=${(/** @type {Said} */ said) => store(row.step, editOf(said))} /></div></td>`)}
      <td data-label=${t("adjudication.decision")}><div><${Decision} row=${row} scheme=${scheme} outline=${outline} store=${(/** @type {object} */ edit) => store(row.step, edit)} />${failed?.step === row.step && html`<p class="refusal" role="alert">${t("adjudication.unstored", failed)}</p>`}</div></td></tr>`)}</tbody></table></div>`;
}

/** Show the texts of a step: next to the table, or below it in a narrow window, scrolled into view. @param {string} step */
function show(step) {
  change({ step });
  requestAnimationFrame(() => {
    if (matchMedia(IS_BELOW).matches) document.querySelector(".sides-by .step")?.scrollIntoView();
  });
}

/** @param {{row: Row, outline: Outline}} props */
function StepName({ row, outline }) {
  if (!row.step) return html`${t("units.whole")}`;
  if (row.at < 0) return html`<span class="quiet">${t("adjudication.gone")}</span> ${line(row.quote, 80)}`;
  const kind = outline.kinds[outline.kind[row.at]];
  return html`<button class="plain k-${kind}" onClick=${() => show(row.step)}><span class="kind">${kind}</span> <bdi>${line(outline.names[outline.name[row.at]], 40)}</bdi></button>`;
}

/** One annotator's annotation of one step, ready to be adopted as the decision. @param {{said: Said | undefined, scheme: Scheme, outline: Outline, take: (said: Said) => void}} props */
function Says({ said, scheme, outline, take }) {
  if (!said) return none();
  const more = errorOf(said);
  const means = [said.error_type, said.error_subtype].map((name) => scheme.definitions[name]).filter(Boolean).join(" · ");
  const lines = [
    said.correctness && html`<b>${visible(worded(said.correctness))}</b>`,
    more && html`<span title=${means}>${visible(more)}</span>`,
    said.rationale && html`<span class="quiet">${line(said.rationale, 300)}</span>`,
    ...linesOf(said.value, outline).map((one) => html`<span class="quiet">${line(one, 200)}</span>`),
    said.state === "changed" && html`<span class="odd">${t("adjudication.changed")}</span>`,
  ];
  return html`${lines.filter(Boolean).map((one) => html`<div>${one}</div>`)}<button class="take" disabled=${!annotator.value} onClick=${() => take(said)}>${t("adjudication.take")}</button>`;
}
