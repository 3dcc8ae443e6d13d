/** Navigation between a conversation and the pages of its runs: links, and keys for them. */
import { t } from "../i18n/index.js";
import { keepOrigin, origin, pageOf } from "../list/run.js";
import { choose, chosen, grid, view } from "../run/state.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { runsOf } from "./forest.js";
import { runs } from "./runs.js";

/** @typedef {import("../list/run.js").Run} Run */

/** The list from which the reader came here, also after runs were opened. */
function list() {
  const { url, back = "/" } = origin();
  return url.startsWith("/conversation") ? back : url;
}

/** Make the pages of the runs link back here, and to each other. */
export function remember() {
  const all = (runs.peek() ?? []).map((run) => /** @type {[string, string]} */ ([run.trace_id, run.project]));
  keepOrigin({ url: location.pathname + location.search, runs: all, back: list() });
}

/** Go to the run before or after the one of the active row. @param {1 | -1} by */
const go = (by) => () => {
  const there = view.peek();
  if (!there) return;
  const of = runsOf(there.o);
  const shown = grid.peek();
  const now = shown?.active ?? chosen.peek();
  const at = of.at(now) + (shown && by < 0 && !of.isHead(now) ? 0 : by);
  if (at < 0 || at >= of.heads.length) return;
  if (shown) shown.select(of.heads[at]);
  else choose(of.heads[at]);
};

/** The run whose row is active, if the tree has the focus. @param {KeyboardEvent} event */
function runAt(event) {
  const there = grid.peek();
  if (!there || event.target !== there.host) return null;
  const of = runsOf(there.view.o);
  return of.isHead(there.active) ? of.part(there.active).run : null;
}

export function Navigation() {
  useKeys([
    { key: "Enter", says: "key.run.open", isPressed: (event) => event.key === "Enter" && runAt(event) !== null,
      run: (event) => { const run = runAt(event); if (run) { remember(); location.href = pageOf(run); } } },
    { key: "[", says: "key.run.before", run: go(-1) },
    { key: "]", says: "key.run.next", run: go(1) },
    { key: "y", says: "key.copy", run: () => navigator.clipboard.writeText(location.href) },
  ], []);
  return html`<nav class="neighbours" aria-label=${t("conversation.back")}><a href=${list()}>‹ ${t("list.title")}</a></nav>`;
}
