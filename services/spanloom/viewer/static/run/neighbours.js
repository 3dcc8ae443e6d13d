/** The runs before and after this one in the list that the user came from. */
import { useEffect, useState } from "../vendor/hooks.js";
import { number, t } from "../i18n/index.js";
import { fetchMore, origin, pageOf } from "../list/run.js";
import { place } from "../state/place.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { traceId } from "./state.js";
import { Copied, copyAddress } from "./views.js";

/** The index of this run in the list that the user came from, or -1. @param {import("../list/run.js").Origin} of */
const placeIn = ({ runs }) => runs.findIndex(([id]) => id === traceId());

/** @param {1 | -1} by @param {Record<string, string | undefined>} query */
function known(by, query) {
  const from = origin();
  const at = placeIn(from);
  const [id, project] = from.runs[at + by] ?? [];
  return id && at >= 0 ? pageOf({ trace_id: id, project }, query) : "";
}

/** The URL of the previous or next run, also on other pages of the list; empty if there is none. @param {1 | -1} by @param {Record<string, string | undefined>} [query] */
export async function neighbour(by, query = {}) {
  const to = known(by, query);
  if (to || by < 0 || placeIn(origin()) < 0) return to;
  await fetchMore();
  return known(by, query);
}

/** The URL of the list that was open last. */
export const listAddress = () => origin().url;

/** The parameters of the current URL that are passed on to the URLs of other runs. @param {{query: import("../state/place.js").Query}} of */
const kept = ({ query: { annotate, q } }) => ({ annotate, q });

export function Neighbours() {
  const from = origin();
  const { url, runs, first = 0, cursor } = from;
  const at = placeIn(from);
  /** @param {1 | -1} by */
  const go = (by) => () => void neighbour(by, kept(place.peek())).then((to) => { if (to) location.href = to; }, () => {});
  const [before, next] = [known(-1, kept(place.value)), known(1, kept(place.value))];
  const isAtEdge = at >= 0 && !next && Boolean(cursor);
  const [, draw] = useState(0);
  useEffect(() => {
    if (isAtEdge) void fetchMore().then(() => draw((n) => n + 1), () => {});
  }, [isAtEdge]);
  useKeys([
    { key: "[", label: "key.before", run: go(-1) },
    { key: "]", label: "key.next", run: go(1) },
    { key: "y", label: "key.copy", run: copyAddress },
  ], []);
  return html`<nav class="neighbours" aria-label=${t("neighbours")}><${Copied} />
    <a href=${url}>‹ ${t(url.startsWith("/conversations") ? "section.conversations" : url.startsWith("/conversation") ? "conversation.title" : "list.title")}</a>
    ${at >= 0 && html`<span class="room"></span><span class="quiet">${t("neighbours.at", { at: first + at + 1, n: `${number(first + runs.length)}${cursor ? "+" : ""}` })}</span>
      <a class="button" aria-label=${t("key.before")} title="[" href=${before || null} aria-disabled=${String(!before)}>‹</a>
      <a class="button" aria-label=${t("key.next")} title="]" href=${next || null} aria-disabled=${String(!next)}>›</a>`}
  </nav>`;
}
