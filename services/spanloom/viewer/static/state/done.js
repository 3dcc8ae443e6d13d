/** Which items of queues were said to be done: whoever shows how far one is asks again. */
import { signal } from "../vendor/signals.js";

/** Counts up with each of them. */
export const dones = signal(0);
