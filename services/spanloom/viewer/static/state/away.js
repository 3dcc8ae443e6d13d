/** Whether the service answers: what it did not answer is asked again once it does. */
import { signal } from "../vendor/signals.js";

let isAway = false;

/** Counts up whenever the service is back, or may be. */
export const returns = signal(0);

const tell = () => { returns.value = returns.peek() + 1; };

/** A request has come to its end. @param {boolean} isAnswered */
export function heard(isAnswered) {
  const wasAway = isAway;
  isAway = !isAnswered;
  if (wasAway && isAnswered) tell();
}

/** The browser may say so before requests get through: what fails once more is asked for a little later, too. */
const AFTER_ONLINE_MS = [0, 500, 3000];

addEventListener("online", () => { for (const ms of AFTER_ONLINE_MS) setTimeout(tell, ms); });
