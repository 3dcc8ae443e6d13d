/** Compares two texts by words and marks the differences. */
import { useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html, visible } from "../ui/html.js";

/** @typedef {import("../vendor/diff-word.js").Piece} Piece */

/** Maximum differing words and duration of a comparison: the whole texts are shown anyway. */
const HOW = { maxEditLength: 4_000, timeout: 1_000 };

/** A button that compares, and the result. @param {{before: string, after: string}} props */
export function Words({ before, after }) {
  const [pieces, setPieces] = useState(/** @type {Piece[] | null | undefined} */ (null));
  const compare = async () => {
    const { diffWordsWithSpace } = await import("../vendor/diff-word.js");
    setPieces(diffWordsWithSpace(before, after, HOW));
  };
  if (pieces === null) return html`<button onClick=${compare}>${t("words.compare")}</button>`;
  if (!pieces) return html`<span class="quiet">${t("words.toofar")}</span>`;
  return html`<div class="words text" dir="auto">${pieces.map(({ value, added, removed }) => (added ? html`<ins>${visible(value)}</ins>` : removed ? html`<del>${visible(value)}</del>` : visible(value)))}</div>`;
}
