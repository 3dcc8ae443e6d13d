/** Waits until a signal fulfils a condition. */

/**
 * Resolve with its value as soon as the condition holds; at once if it does already.
 * @template T
 * @param {import("../vendor/signals.js").Signal<T>} signal @param {(value: T) => unknown} holds @returns {Promise<T>}
 */
export const when = (signal, holds) => new Promise((go) => {
  const stop = signal.subscribe((value) => {
    if (!holds(value)) return;
    go(value);
    queueMicrotask(() => stop()); // `stop` is not assigned yet if the condition is true at once
  });
});
