/** How many steps a run has, and of which types: a bar of their shares next to the number. */
import { html } from "../ui/html.js";

export const TYPES = ["agent", "model", "tool", "graph"];

/** @param {{counts: Record<string, number>}} props */
export function StepBar({ counts }) {
  const there = TYPES.filter((type) => counts[type]);
  const sum = there.reduce((total, type) => total + counts[type], 0);
  const words = there.map((type) => `${counts[type]} ${type}`).join(", ");
  return html`<span class="steps" title=${words}>
    <span class="count">${sum}</span>
    <span class="shares" aria-hidden="true">${there.map((type) => html`<i class="k-${type}" style=${{ flexGrow: counts[type] }}></i>`)}</span>
    <span class="sr">${words}</span>
  </span>`;
}
