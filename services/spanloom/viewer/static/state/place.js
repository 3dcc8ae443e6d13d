/** The address is the state: it determines the displayed content, and a copy of it shows the same. */
import { signal } from "../vendor/signals.js";

/** @typedef {Record<string, string>} Query */

/** In an address in place of a step's id: the first that failed. */
export const FIRST_ERROR = "error";

const read = () => ({
  path: location.pathname,
  query: /** @type {Query} */ (Object.fromEntries(new URLSearchParams(location.search))),
});

/** The current address: its path, and its query as an object. */
export const place = signal(read());

/**
 * Change some of the query: null or an empty text takes a name out.
 * @param {Record<string, string | null>} changes
 * @param {boolean} [isStep] whether Back returns to the address before
 */
export function change(changes, isStep = false) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  show(query, isStep);
}

/** Show exactly what a query names. @param {URLSearchParams} query @param {boolean} isStep */
export function show(query, isStep) {
  const text = query.toString();
  const url = location.pathname + (text ? `?${text}` : "");
  if (url === location.pathname + location.search) return;
  if (isStep) history.pushState({ isOurs: true }, "", url);
  else history.replaceState(history.state, "", url);
  place.value = read();
}

/** The address of a path with a query. @param {string} path @param {Record<string, string | null | undefined>} [query] */
export function link(path, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(given).toString();
  return path + (text ? `?${text}` : "");
}

addEventListener("popstate", () => {
  place.value = read();
});

// Waits until a signal fulfils a condition.

/**
 * Resolve with its value as soon as the condition holds; at once if it does already.
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
