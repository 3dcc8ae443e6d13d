/** Settings of the reader, kept in the browser's storage; full or disabled storage is not an error. */
import { effect, signal } from "../vendor/signals.js";

/**
 * A signal that survives the page.
 * @template T
 * @param {string} name @param {T} first @param {Storage} [storage]
 */
export function kept(name, first, storage = localStorage) {
  const value = signal(read(name, first, storage));
  effect(() => write(name, value.value, storage));
  return value;
}

/** @template T @param {string} name @param {T} first @param {Storage} [storage] @returns {T} */
export function read(name, first, storage = localStorage) {
  try {
    const text = storage.getItem(`spanloom.${name}`);
    return text === null ? first : JSON.parse(text);
  } catch {
    return first;
  }
}

/** @param {string} name @param {unknown} value @param {Storage} [storage] */
export function write(name, value, storage = localStorage) {
  try {
    storage.setItem(`spanloom.${name}`, JSON.stringify(value));
  } catch {
    // It is shown all the same, and forgotten with the page.
  }
}
