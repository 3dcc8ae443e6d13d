/** What evaluators say of a run: each score with its reason, the steps that show it, and whether the run has changed since. */
import { t } from "../i18n/index.js";
import { grid, view } from "../run/state.js";
import { change, link, place, when } from "../state/place.js";
import { rowOf } from "../tree/outline.js";
import { html, line, Menu, visible } from "../ui/html.js";
import { runScores } from "./current.js";

/** @typedef {import("../records.js").ScoreItem} Score */

/** Whether a score says that something is wrong. @param {Score} one */
const isBad = ({ status, passed, value }) => status === "error" || (passed ?? value) === false;
/** @param {Score} one */
const isGood = ({ passed, value }) => (passed ?? value) === true;

/** @param {string} step */
function goTo(step) {
  const row = view.peek() ? rowOf(/** @type {import("../tree/view.js").View} */ (view.peek()).o, step) : -1;
  if (row < 0) return;
  if (!grid.peek()) change({ view: null }, true);
  void when(grid, Boolean).then((there) => there?.select(row, true));
}

export function ScoresMenu() {
  const scores = runScores.value.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)) || (a.name < b.name ? -1 : 1));
  const bad = scores.filter(isBad).length;
  if (!scores.length) return "";
  const label = html`${t("scores.n", { n: scores.length })}${bad > 0 && html` <span class="wrong">✕ ${bad}</span>`}`;
  return html`<${Menu} label=${label} name=${t("scores.of", { n: scores.length, bad })} class="scores-of"><ul class="choices">${scores.map((one) => html`<${Row} key=${one.score_id} of=${one} />`)}</ul><//>`;
}

const SHOWN = 6;

/** @param {{of: Score}} props */
function Row({ of }) {
  const { name, author, value, status, label, rationale, evidence, error_code: code, experiment, rule_id: rule } = of;
  const said = status === "ok" ? [typeof value === "boolean" || value === null ? "" : String(value), label].filter(Boolean).join(" · ") : `${status} ${code}`;
  const steps = [...new Set([...(of.step_id ? [of.step_id] : []), ...evidence.map((one) => String(one.step_id ?? ""))])].filter(Boolean);
  const from = experiment ? html`<a href=${link("/experiments", { name: experiment, project: place.value.query.project })}>${line(experiment, 40)}</a>` : rule ? html`<a href=${link("/online-rules", { name: rule, project: place.value.query.project })}>${line(rule, 40)}</a>` : "";
  return html`<li class="said-of"><b class=${isBad(of) ? "wrong" : isGood(of) ? "fine" : ""}>${isBad(of) ? "✕" : isGood(of) ? "✓" : "·"} <bdi>${line(name, 60)}</bdi></b> <span>${line(said, 80)}</span>${" "}
    <span class="quiet"><bdi>${line(author, 40)}</bdi> ${from}</span>${of.stale && html` <span class="odd" title=${t("scores.stale.means")}>⚠ ${t("scores.stale")}</span>`}
    ${rationale && html`<p>${visible(rationale.slice(0, 600))}${rationale.length > 600 ? "…" : ""}</p>`}
    ${steps.length > 0 && html`<p>${steps.slice(0, SHOWN).map((step, i) => html`<button key=${step} title=${step} onClick=${() => goTo(step)}>${t("scores.evidence", { n: i + 1 })}</button> `)}</p>`}</li>`;
}
