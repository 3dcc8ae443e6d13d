/** The user of the page: settings and name, which the browser stores, and a counter of finished queue items. */
import { effect, signal } from "../vendor/signals.js";

// Settings of the user, stored in the browser; full or disabled storage is not an error.

/**
 * A signal whose value is stored in the browser.
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
    // The value is still used, but lost when the page is closed.
  }
}

// The name of the person who reads and annotates in this browser. It is not verified, and is sent with every
// request.

/** The name; empty until it is entered. */
export const annotator = kept("annotator", "");

// Items of queues that were marked as done: views that show the progress of a queue reload it.

/** Incremented whenever an item is marked as done. */
export const dones = signal(0);
