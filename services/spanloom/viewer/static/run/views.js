/** The tabs for the views of a run, and the path to the root of the tree. */
import { t } from "../i18n/index.js";
import { change, place } from "../state/place.js";
import { html, line } from "../ui/html.js";
import { isWhole } from "../tree/outline.js";
import { drill, turns, view } from "./state.js";

const VIEWS = /** @type {const} */ (["tree", "graph", "transcript"]);

export function Views() {
  const on = place.value.query.view ?? "tree";
  return html`<nav class="tabs views" aria-label=${t("run.views")}>${VIEWS.map((one) => html`<button aria-current=${String(on === one)}
    onClick=${() => change({ view: one === "tree" ? null : one }, true)}>${t(`view.${one}`)}</button>`)}</nav>`;
}

/** The path from the run to the root of the tree. */
export function Crumbs() {
  const there = view.value;
  if (!there || turns.value < 0 || there.root < 0) return "";
  const { o } = there;
  /** @type {number[]} */
  const path = [];
  for (let up = there.root; up >= 0; up = o.parent[up]) if (!there.hidden[up] || up === there.root) path.unshift(up);
  return html`<nav class="crumbs" aria-label=${t("crumbs")}>${path.map((i) => html`<button class="plain" aria-current=${String(i === there.root)} onClick=${() => drill(isWhole(o, i) ? -1 : i)}>${line(o.names[o.name[i]], 30)}</button>`)}</nav>`;
}
