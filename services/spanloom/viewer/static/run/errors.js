/** The number of errors of a run or a conversation, as a button that leads to the next one in the tree. */
import { t } from "../i18n/index.js";
import { change, when } from "../state/place.js";
import { toFailure } from "../tree/keys.js";
import { html } from "../ui/html.js";
import { grid } from "./state.js";

/** @param {{n: number}} props */
export function Errors({ n }) {
  return n ? html`<button class="plain bad" title=${`${t("key.error")} (e)`} onClick=${toNextError}>✕ ${n}</button>` : "0";
}

/** Go to the next error in the tree, once the tree is loaded; switches back from other views. */
function toNextError() {
  if (!grid.peek()) change({ view: null }, true);
  void when(grid, Boolean).then((there) => toFailure(/** @type {import("../tree/grid.js").Grid} */ (there)));
}
