/** Whether the service answers: unanswered requests are repeated once it does. */
import { signal } from "../vendor/signals.js";

let isAway = false;

/** Counts up whenever the service is back, or may be. */
export const returns = signal(0);

const tell = () => { returns.value = returns.peek() + 1; };

/** Record the end of a request. @param {boolean} isAnswered */
export function heard(isAnswered) {
  const wasAway = isAway;
  isAway = !isAnswered;
  if (wasAway && isAnswered) tell();
}

/** The browser may report it before requests get through: requests that fail once more are repeated a little later, too. */
const AFTER_ONLINE_MS = [0, 500, 3000];

addEventListener("online", () => { for (const ms of AFTER_ONLINE_MS) setTimeout(tell, ms); });
