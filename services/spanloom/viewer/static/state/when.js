/** Waits until a signal is as it is wanted. */

/**
 * Give its value as soon as that is so; at once if it is.
 * @template T
 * @param {import("../vendor/signals.js").Signal<T>} signal @param {(value: T) => unknown} holds @returns {Promise<T>}
 */
export const when = (signal, holds) => new Promise((go) => {
  const stop = signal.subscribe((value) => {
    if (!holds(value)) return;
    go(value);
    queueMicrotask(() => stop()); // which is not there yet where it holds at once
  });
});
