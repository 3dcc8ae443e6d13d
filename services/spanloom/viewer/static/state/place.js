/** The state of the page, which is the URL, so that a copied URL shows the same content. */
import { signal } from "../vendor/signals.js";
import { DEFAULT_PROJECT } from "../service.js";

/** @typedef {Record<string, string>} Query */

/** The value of `step` in a URL that means the first failed step. */
export const FIRST_ERROR = "error";

const read = () => ({
  path: location.pathname,
  query: /** @type {Query} */ (Object.fromEntries(new URLSearchParams(location.search))),
});

/** The current URL: its path, and its query as an object. */
export const place = signal(read());

/**
 * Change parameters of the query; null or an empty text removes a parameter.
 * @param {Record<string, string | null>} changes
 * @param {boolean} [isStep] whether Back returns to the previous URL
 */
export function change(changes, isStep = false) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  show(query, isStep);
}

/** Replace the whole query. @param {URLSearchParams} query @param {boolean} isStep */
export function show(query, isStep) {
  const text = query.toString();
  const url = location.pathname + (text ? `?${text}` : "");
  if (url === location.pathname + location.search) return;
  if (isStep) history.pushState({ isOurs: true }, "", url);
  else history.replaceState(history.state, "", url);
  place.value = read();
}

/** The URL of a path with a query. @param {string} path @param {Record<string, string | null | undefined>} [query] */
export function link(path, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(given).toString();
  return path + (text ? `?${text}` : "");
}

/** The project in the URL of a run or a definition; the default project is left out. @param {string | null | undefined} project */
export const ownProject = (project) => (project === DEFAULT_PROJECT || !project ? undefined : project);

addEventListener("popstate", () => {
  place.value = read();
});

// Waits until a signal fulfils a condition.

/**
 * Resolve with the value of a signal as soon as the condition holds, at once if it already does.
 * @template T
 * @param {import("../vendor/signals.js").Signal<T>} watched @param {(value: T) => unknown} holds @returns {Promise<T>}
 */
export const when = (watched, holds) => new Promise((go) => {
  const stop = watched.subscribe((value) => {
    if (!holds(value)) return;
    go(value);
    queueMicrotask(() => stop()); // `stop` is not assigned yet if the condition is true at once
  });
});
