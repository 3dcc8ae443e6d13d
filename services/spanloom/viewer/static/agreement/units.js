/** The steps, or runs, that a figure was counted from; each links to its place in its run. */
import { t } from "../i18n/index.js";
import { useFetched, useRuns } from "../ui/fetched.js";
import { RunLink } from "../judging/parts.js";
import { link, place } from "../state/place.js";
import { html, line, visible } from "../ui/html.js";
import { inWords, nameOf } from "./measures.js";

const MOST_NAMED = 50;

/** @typedef {import("../records.js").UnitItem} Unit */

/** @param {{asked: Record<string, string | undefined>}} props */
export function Units({ asked }) {
  const { measure = "correctness", a, b, va, vb, agent, step_type: type } = place.value.query;
  const pair = a && b ? [a, b] : [];
  const values = va && vb ? [va, vb] : [];
  const params = { ...asked, measure, first: a, second: b, first_says: va, second_says: vb, agent, step_type: type };
  const { data, error } = useFetched("/v1/agreement/units", params);
  /** @type {Unit[]} */
  const items = data?.items ?? [];
  const ids = [...new Set(items.map((unit) => unit.trace_id))].slice(0, MOST_NAMED);
  const runs = useRuns(ids, asked.project);
  const people = [...new Set(items.flatMap((unit) => Object.keys(unit.values)))].sort();
  const of = [nameOf(measure), agent, type, pair.join(" · "), values.length ? values.map((one) => `“${inWords(measure, one)}”`).join(" · ") : ""].filter(Boolean).join(", ");
  return html`<h2 id="units">${values.length ? t("units.said") : t("units.differ")} <span class="quiet">${visible(of)} · ${data?.total ?? "…"}</span></h2>
    ${error && html`<p class="refusal" role="alert">${error.message}</p>`}
    ${items.length > 0 && html`<div class="wide" tabindex="0" role="region" aria-label=${t("units.differ")}><table class="sheet-table units stacked">
      <thead><tr><th>${t("item.run")}</th><th>${t("judging.step")}</th>${people.map((who) => html`<th><bdi>${t("agreement.says", { who: line(who, 40) })}</bdi></th>`)}<th></th></tr></thead>
      <tbody>${items.map((unit) => html`<tr key=${unit.trace_id + unit.step_id}>
        <td><${RunLink} id=${unit.trace_id} run=${runs[unit.trace_id]} project=${asked.project} /></td>
        <td class="k-${unit.step_type}">${unit.step_id ? html`<a href=${link(`/trajectories/${unit.trace_id}`, { step: unit.step_id, project: asked.project })}><span class="kind">${unit.step_type}</span> <bdi>${line(unit.quote || unit.step_id, 60)}</bdi></a> <span class="quiet"><bdi>${visible(unit.agent)}</bdi></span>` : t("units.whole")}</td>
        ${people.map((who) => html`<td data-label=${t("agreement.says", { who: line(who, 40) })}><bdi>${visible(inWords(measure, unit.values[who] ?? "–"))}</bdi></td>`)}
        <td class="ends-here"><a href=${link("/adjudication", { trace: unit.trace_id, scheme: asked.scheme, queue: asked.queue, step: unit.step_id, project: asked.project })}>${t("adjudication.open")}</a></td></tr>`)}</tbody></table></div>`}
    ${data && data.total > items.length && html`<p class="quiet">${t("units.more", { n: data.total - items.length })}</p>`}
    ${data && data.total === 0 && html`<p>${t("units.none")}</p>`}`;
}
