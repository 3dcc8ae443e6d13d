/** Opens views: on a click, and the default view of a page whose URL has no parameters. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { NOT_OF_VIEWS } from "../service.js";
import { place, show } from "../state/place.js";

/** @typedef {import("../records.js").ViewItem} View */
/** @typedef {"runs" | "steps" | "conversations" | "overview"} ListPage */
/** @typedef {Record<string, string>} Parameters */

/** Milliseconds that a page waits for its default view before it is shown. */
const PATIENCE_MS = 400;

/** The view that was opened last; `name`: empty for a preset; `search`: its query string; `faults`: why the default view was not opened. */
export const opened = signal(/** @type {{name: string, search: string, faults: View["faults"]} | null} */ (null));

/** The parameters of a query string that a view stores. @param {string} text @returns {Parameters} */
export function parametersOf(text) {
  const query = new URLSearchParams(text);
  NOT_OF_VIEWS.forEach((name) => query.delete(name));
  return Object.fromEntries(query);
}

/** Apply the parameters of a view, in the current project. @param {string} name of the view, or empty @param {Parameters} parameters @param {boolean} [isStep] */
export function open(name, parameters, isStep = true) {
  const { project } = place.peek().query;
  show(new URLSearchParams(project ? { project, ...parameters } : parameters), isStep);
  opened.value = { name, search: location.search, faults: [] };
}

/** Whether there is no query yet: the URL has none (a project does not count), this page has not changed the URL,
 * and the query box is empty. */
function isBare() {
  const box = /** @type {HTMLInputElement | null} */ (document.getElementById("where"));
  return /^(\?project=[^&]*)?$/.test(location.search) && !history.state?.isOurs && !box?.value;
}

/** Open the default view of a page, if it has one; resolves after `PATIENCE_MS` even if there is no response. @param {ListPage} of */
export async function openDefault(of) {
  if (!isBare()) return;
  const wanted = getJson("/v1/views", { page: of, project: place.peek().query.project }).then(({ items }) => {
    const view = items.find((/** @type {View} */ one) => one.default);
    if (!view || !isBare()) return;
    if (view.faults.length) opened.value = { name: view.name, search: location.search, faults: view.faults };
    else open(view.name, view.parameters, false);
  });
  await Promise.race([wanted.catch(() => {}), new Promise((go) => setTimeout(go, PATIENCE_MS))]);
}
