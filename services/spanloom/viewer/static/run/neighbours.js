/** The runs before and behind this one in the list that the reader came from. */
import { t } from "../i18n/index.js";
import { pageOf } from "../list/run.js";
import { read } from "../state/kept.js";
import { place } from "../state/place.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/keys.js";
import { traceId } from "./state.js";

/** `back`: of a conversation, the list that led to it. @typedef {{url: string, runs: [string, string][], back?: string}} Origin */

/** The list that the reader came from, and where in it this run is. */
function origin() {
  const { url, runs } = read("list", /** @type {Origin} */ ({ url: "/", runs: [] }), sessionStorage);
  return { url, runs, at: runs.findIndex(([id]) => id === traceId()) };
}

/** The address of a run before or behind this one; empty if there is none. @param {1 | -1} by @param {Record<string, string | undefined>} [query] */
export function neighbour(by, query = {}) {
  const { runs, at } = origin();
  const [id, project] = runs[at + by] ?? [];
  return id && at >= 0 ? pageOf({ trace_id: id, project }, query) : "";
}

/** The address of the list that was read last. */
export const listAddress = () => origin().url;

export function Neighbours() {
  const { url, runs, at } = origin();
  const { annotate } = place.value.query;
  /** @param {1 | -1} by */
  const go = (by) => () => { const to = neighbour(by, { annotate: place.peek().query.annotate }); if (to) location.href = to; };
  const [before, next] = [neighbour(-1, { annotate }), neighbour(1, { annotate })];
  useKeys([
    { key: "[", says: "key.before", run: go(-1) },
    { key: "]", says: "key.next", run: go(1) },
    { key: "y", says: "key.copy", run: () => navigator.clipboard.writeText(location.href) },
  ], []);
  return html`<nav class="neighbours" aria-label=${t("neighbours")}>
    <a href=${url}>‹ ${t(url.startsWith("/conversation") ? "conversation.title" : "list.title")}</a>
    ${at >= 0 && html`<span class="room"></span><span class="quiet">${t("neighbours.at", { at: at + 1, n: runs.length })}</span>
      <a class="button" aria-label=${t("key.before")} title="[" href=${before || null} aria-disabled=${String(!before)}>‹</a>
      <a class="button" aria-label=${t("key.next")} title="]" href=${next || null} aria-disabled=${String(!next)}>›</a>`}
  </nav>`;
}
