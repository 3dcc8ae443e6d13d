/** Lets the tree of a live run grow: rows are added, and the visible rows do not move. */
import { batch } from "../vendor/signals.js";
import { getBytes } from "../api.js";
import { place } from "../state/place.js";
import { decode, rowOf, spanId } from "../tree/outline.js";
import { View } from "../tree/view.js";
import { chosen, grid, grown, runPath, turns, view } from "./state.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */

/** Update the displayed tree to the newest version; if the request fails, the next change tries again. */
export async function grow() {
  const there = view.peek();
  const { project } = place.peek().query;
  const o = await getBytes(`${runPath()}/outline`, { project }).then(decode, () => null);
  if (!o || !there || view.peek() !== there || o.version <= there.o.version || there.kept) return;
  const moved = movesTo(there.o, o);
  const shown = grid.peek();
  const back = shown && keepPlace(shown, moved);
  batch(() => {
    chosen.value = moved(chosen.peek());
    replace(there, o, moved);
    if (shown) {
      shown.active = Math.max(0, moved(shown.active));
      shown.texts = new Map();
      shown.changed();
      back?.();
    } else turns.value += 1;
    grown.value += 1;
  });
}

/** Return a function from a row of an outline to its row in a newer outline, -1 if it has none. @param {Outline} had @param {Outline} now @returns {(i: number) => number} */
function movesTo(had, now) {
  return (i) => (i < 0 ? -1 : rowOf(now, spanId(had, i)));
}

/** Replace the outline of a view; closed rows stay closed. @param {View} there @param {Outline} o @param {(i: number) => number} moved */
function replace(there, o, moved) {
  const closed = [...there.collapsed.keys()].filter((i) => there.collapsed[i]).map(moved);
  const [root, hasFrames] = [moved(there.root), there.hasFrames];
  Object.assign(there, new View(o));
  for (const i of closed) if (i >= 0) there.collapsed[i] = 1;
  there.root = root;
  there.showFrames(hasFrames);
}

/** Record the scroll position (at the end, or at a row); return a function that restores it after the run has grown. @param {import("../tree/grid.js").Grid} shown @param {(i: number) => number} moved */
function keepPlace(shown, moved) {
  const { host, rowHeight, view: there } = shown;
  const isAtEnd = host.scrollTop + host.clientHeight >= host.scrollHeight - rowHeight / 2;
  const at = Math.min(there.count - 1, Math.floor(host.scrollTop / rowHeight));
  const [first, beyond] = [moved(there.rows[Math.max(0, at)]), host.scrollTop - at * rowHeight];
  return () => {
    if (isAtEnd) host.scrollTop = host.scrollHeight;
    else if (first >= 0 && there.position[first] >= 0) host.scrollTop = there.position[first] * rowHeight + beyond;
  };
}
