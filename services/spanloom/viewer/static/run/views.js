/** Controls of a run's page: the views, the path to the displayed subtree, the next error, the export. */
import { t } from "../i18n/index.js";
import { change, place, when } from "../state/place.js";
import { toFailure } from "../tree/keys.js";
import { html, line, save } from "../ui/html.js";
import { later } from "../ui/fetched.js";
import { drill, grid, turns, view } from "./state.js";
import { useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { getBytes } from "../api.js";
import { isWhole } from "../tree/outline.js";

// The number of errors of a run or a conversation, as a button that goes to the next error in the tree.

/** @param {{n: number}} props */
export function Errors({ n }) {
  return n ? html`<button class="plain bad" title=${`${t("key.error")} (e)`} onClick=${toNextError}>✕ ${n}</button>` : "0";
}

/** Go to the next error in the tree, once the tree is loaded; switches back from other views. */
function toNextError() {
  if (!grid.peek()) change({ view: null }, true);
  void when(grid, Boolean).then((there) => toFailure(/** @type {import("../tree/grid.js").Grid} */ (there)));
}

// Copies the URL, and confirms that.

const copied = signal("");
let fading = 0;

export function copyAddress() {
  const say = (/** @type {"copied" | "copied.not"} */ key) => {
    copied.value = t(key);
    clearTimeout(fading);
    fading = setTimeout(() => { copied.value = ""; }, 2500);
  };
  const written = navigator.clipboard?.writeText(location.href) ?? Promise.reject(new Error("no clipboard"));
  written.then(() => say("copied"), () => say("copied.not"));
}

export const Copied = () => html`<span role="status" class="toast">${copied.value}</span>`;

// Downloads a conversation or one of its runs as an HTML file. It is fetched, because a link would send no API key.

/** @param {{path: string, params: import("../api.js").Params, name?: string, paper: string}} props `path`: the path in the API, `name`: the name of the file, `paper`: a text that is also printed */
export function ExportButton({ path, params, name = path.split("/")[3], paper }) {
  const [failed, setFailed] = useState("");
  const fetchIt = async () => {
    try {
      save(await getBytes(`${path}/export.html`, params), "text/html", `${name}.html`);
      setFailed("");
    } catch (error) {
      setFailed(error instanceof Error ? error.message : String(error));
    }
  };
  return html`<button class="copy" title=${t("export.means")} onClick=${fetchIt}>${t("export.html")}</button>
    ${paper && html`<p class="on-paper">${paper}</p>`}
    ${failed && html`<span role="alert" class="bad">${failed}</span>`}`;
}

// The tabs for the views of a run, and the path to the displayed subtree.

const VIEWS = /** @type {const} */ (["tree", "graph", "transcript"]);

/** The view that the URL names; the tree if it names none or an unknown view. */
export const viewOf = () => VIEWS.find((one) => one === place.value.query.view) ?? "tree";

export function Views() {
  const on = viewOf();
  return html`<nav class="tabs views" aria-label=${t("run.views")}>${VIEWS.map((one) => html`<button aria-current=${String(on === one)}
    onClick=${() => change({ view: one === "tree" ? null : one }, true)}>${t(`view.${one}`)}</button>`)}</nav><${Gone} of="view" there=${VIEWS} shown=${t(`view.${on}`)} />`;
}

const GoneView = later(async () => (await import("./gone.js")).GoneView);

/** Reports an unknown view in the URL, and removes it from the URL. @param {{of: "view" | "graph", there: readonly string[], shown: string}} props */
export function Gone({ of, there, shown }) {
  const named = place.value.query[of];
  return named && !there.includes(named) ? html`<${GoneView} of=${of} named=${named} shown=${shown} />` : "";
}

/** The path from the run to the row at which the displayed subtree begins. */
export function Crumbs() {
  const there = view.value;
  if (!there || turns.value < 0 || there.root < 0) return "";
  const { o } = there;
  /** @type {number[]} */
  const path = [];
  for (let up = there.root; up >= 0; up = o.parent[up]) if (!there.hidden[up] || up === there.root) path.unshift(up);
  return html`<nav class="crumbs" aria-label=${t("crumbs")}>${path.map((i) => html`<button class="plain" aria-current=${String(i === there.root)} onClick=${() => drill(isWhole(o, i) ? -1 : i)}>${line(o.names[o.name[i]], 30)}</button>`)}</nav>`;
}
