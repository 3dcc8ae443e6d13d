/** Items of queues that were marked as done: views that show the progress of a queue reload it. */
import { signal } from "../vendor/signals.js";

/** Incremented with each of them. */
export const dones = signal(0);
