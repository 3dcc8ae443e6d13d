/** The items of a dataset: each in a short form, and complete on demand. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { link, ownProject } from "../state/place.js";
import { later } from "../ui/fetched.js";
import { html, line } from "../ui/html.js";
import { Sheet } from "./frame.js";

/** @typedef {import("../records.js").DatasetRow} Row */

const Json = later(async () => (await import("../step/json.js")).Json);
const none = () => html`<span class="none">–</span>`;

/** Any JSON value as a line. @param {unknown} value @param {number} most */
export const short = (value, most) => line(typeof value === "string" ? value : (JSON.stringify(value) ?? ""), most);

/** The expected values as one line: the response, otherwise the number of values of each kind. @param {Row["expected"]} expected */
export function expectedInShort(expected) {
  const { response, facts, tool_calls: calls, retrieved_context: found, rules, trajectory } = expected ?? {};
  /** @param {unknown[] | undefined} list @param {"facts" | "calls" | "context"} name */
  const count = (list, name) => (list?.length ? [t(`row.has.${name}`, { n: list.length })] : []);
  const parts = [...(response ? [short(response, 100)] : []), ...count(facts, "facts"), ...count(calls, "calls"), ...count(found, "context"),
    ...(rules ? [t("row.has.rules")] : []), ...(trajectory ? [t("row.has.trajectory")] : [])];
  return parts.join(" · ");
}

/** The run or step of a source. @param {{source: Row["source"]}} props */
export function SourceLink({ source }) {
  if (!source?.trace_id) return none();
  const { trace_id: trace, project, step_id: step, version } = source;
  return html`<a href=${link(`/trajectories/${trace}`, { project: ownProject(project), step })}>${t(step ? "row.step" : "row.run.of")} <code>${trace.slice(0, 12)}</code></a> ${version ? html`<span class="quiet">v${version}</span>` : ""}`;
}

/** @param {{rows: Row[], remove: ((key: string) => void) | null}} props */
export function Items({ rows, remove }) {
  return html`<${Sheet} label=${t("dataset.items")} class="items">
    <thead><tr><th>${t("row.key")}</th><th>${t("step.input")}</th><th>${t("row.expected")}</th><th>${t("row.source")}</th><th>${t("row.splits")}</th>${remove && html`<td></td>`}</tr></thead>
    <tbody>${rows.map((row) => html`<${Item} key=${row.item_key} row=${row} remove=${remove} />`)}</tbody><//>`;
}

/** @param {{row: Row, remove: ((key: string) => void) | null}} props */
function Item({ row, remove }) {
  const [isOpen, setOpen] = useState(false);
  const key = line(row.item_key, 40);
  return html`<tr><td><button class="plain" aria-expanded=${String(isOpen)} title=${t("row.open", { key })} onClick=${() => setOpen(!isOpen)}>${isOpen ? "▾" : "▸"} <bdi>${key}</bdi></button></td>
      <td data-label=${t("step.input")}><bdi>${short(row.input, 120) || none()}</bdi></td><td data-label=${t("row.expected")}><bdi>${expectedInShort(row.expected) || none()}</bdi></td>
      <td data-label=${t("row.source")}><span><${SourceLink} source=${row.source} /></span></td><td data-label=${t("row.splits")}>${row.splits.length ? line(row.splits.join(", "), 60) : none()}</td>
      ${remove && html`<td class="ends-here"><button aria-label=${t("row.remove.of", { key })} onClick=${() => remove(row.item_key)}>${t("row.remove")}</button></td>`}</tr>
    ${isOpen && html`<tr><td colspan=${remove ? 6 : 5} class="json"><${Json} value=${row} /></td></tr>`}`;
}
