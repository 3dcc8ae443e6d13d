/** The runs before and behind this one in the list that the reader came from. */
import { t } from "../i18n/index.js";
import { read } from "../state/kept.js";
import { link } from "../state/place.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/keys.js";
import { traceId } from "./state.js";

/** @typedef {{url: string, runs: [string, string][]}} Origin */

export function Neighbours() {
  const { url, runs } = read("list", /** @type {Origin} */ ({ url: "/", runs: [] }), sessionStorage);
  const at = runs.findIndex(([id]) => id === traceId());
  /** @param {number} to */
  const address = (to) => {
    const [id, project] = runs[to] ?? [];
    return id && at >= 0 ? link(`/trajectories/${id}`, { project: project === "default" ? null : project }) : "";
  };
  /** @param {string} to */
  const go = (to) => () => { if (to) location.href = to; };
  const [before, next] = [address(at - 1), address(at + 1)];
  useKeys([
    { key: "[", says: "key.before", run: go(before) },
    { key: "]", says: "key.next", run: go(next) },
    { key: "y", says: "key.copy", run: () => navigator.clipboard.writeText(location.href) },
  ], []);
  return html`<nav class="neighbours" aria-label=${t("neighbours")}>
    <a href=${url}>‹ ${t("list.title")}</a>
    ${at >= 0 && html`<span class="room"></span><span class="quiet">${t("neighbours.at", { at: at + 1, n: runs.length })}</span>
      <a class="button" aria-label=${t("key.before")} title="[" href=${before || null} aria-disabled=${String(!before)}>‹</a>
      <a class="button" aria-label=${t("key.next")} title="]" href=${next || null} aria-disabled=${String(!next)}>›</a>`}
  </nav>`;
}
