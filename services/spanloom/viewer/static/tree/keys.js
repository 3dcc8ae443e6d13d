/** The keys of the tree: the keys of a treegrid, and single letters (listed in the help). */
import { isFault, isSource, isStep } from "./outline.js";

/** @typedef {import("./grid.js").Grid} Grid */
/** @typedef {{drill: (i: number) => void, up: () => void, frames: () => void}} Acts */

/** Move by a number of visible rows. @param {Grid} grid @param {number} by */
export function move(grid, by) {
  const { view } = grid;
  const at = Math.max(0, Math.min(view.count - 1, view.position[grid.active] + by));
  if (view.count) grid.select(view.rows[at]);
}

/** @typedef {(o: import("./outline.js").Outline, i: number) => boolean} Which */

/** The next or previous failed row, collapsed or not, or -1. @param {import("./view.js").View} view @param {number} i @param {1 | -1} by @param {Which} [which] */
export function nextError({ o, kept, root }, i, by, which = isFault) {
  const to = root >= 0 ? o.end[root] : o.n;
  for (let j = i + by; j >= Math.max(0, root) && j < to; j += by) {
    if (which(o, j) && (!kept || kept[j])) return j;
  }
  return -1;
}

/** The next row whose failure is counted, if possible a step; rows that only propagated an exception are skipped. @param {import("./view.js").View} view @param {number} i */
export function nextFailure(view, i) {
  const found = nextError(view, i, 1, (o, j) => isSource(o, j) && isStep(o, j));
  return found < 0 ? nextError(view, i, 1, isSource) : found;
}

/** Go to the next or previous error; after the last error, to the first. @param {Grid} grid @param {1 | -1} by */
export function toError(grid, by) {
  const { view } = grid;
  const found = nextError(view, grid.active, by);
  const again = found >= 0 ? found : nextError(view, by > 0 ? Math.max(0, view.root) - 1 : view.root >= 0 ? view.o.end[view.root] : view.o.n, by);
  if (again >= 0) grid.select(again, true);
}

/** Go to the next counted failure; after the last failure, to the first. @param {Grid} grid */
export function toFailure(grid) {
  const found = nextFailure(grid.view, grid.active);
  const again = found >= 0 ? found : nextFailure(grid.view, Math.max(0, grid.view.root) - 1);
  if (again >= 0) grid.select(again, true);
}

/** Select the clicked row; a click on its triangle opens or closes it, with Shift the whole subtree. @param {Grid} grid @param {MouseEvent} event */
function click(grid, event) {
  const target = /** @type {Element} */ (event.target);
  const row = grid.pool.with(target);
  if (!row) return;
  if (target === row.twist && grid.view.has(row.i)) {
    if (event.shiftKey) grid.view.branch(row.i, grid.view.isOpen(row.i));
    else grid.view.toggle(row.i);
    grid.changed();
  }
  grid.pick(row.i);
}

/** @param {Grid} grid */
function forward(grid) {
  const { view, active } = grid;
  if (view.isOpen(active)) move(grid, 1);
  else open(grid, (i) => view.toggle(i));
}

/** @param {Grid} grid */
function backward(grid) {
  const { view, active } = grid;
  if (view.isOpen(active)) open(grid, (i) => view.toggle(i));
  else if (view.above[active] >= 0) grid.select(view.above[active]);
}

/** @param {Grid} grid @param {(i: number) => void} act */
function open(grid, act) {
  act(grid.active);
  grid.changed();
}

/** Listen for the keys of the grid itself. @param {Grid} grid */
export function listen(grid) {
  const page = () => Math.max(1, Math.floor(grid.height / grid.rowHeight) - 2);
  /** @type {Record<string, () => void>} */
  const moves = {
    ArrowDown: () => move(grid, 1),
    ArrowUp: () => move(grid, -1),
    PageDown: () => move(grid, page()),
    PageUp: () => move(grid, -page()),
    Home: () => move(grid, -Infinity),
    End: () => move(grid, Infinity),
    ArrowRight: () => forward(grid),
    ArrowLeft: () => backward(grid),
    "*": () => open(grid, (i) => grid.view.branch(i, false)),
  };
  grid.host.addEventListener("click", (event) => click(grid, event));
  grid.host.addEventListener("keydown", (event) => {
    const act = moves[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && event.key.startsWith("Arrow")) open(grid, (i) => grid.view.branch(i, event.key === "ArrowLeft"));
    else act();
    event.preventDefault();
  });
}

/** The shortcuts of the page that are single letters. @param {() => Grid | null} grid @param {Acts} acts @returns {import("../ui/frame.js").Shortcut[]} */
export function letters(grid, { drill, up, frames }) {
  /** @param {(grid: Grid) => void} act */
  const on = (act) => () => {
    const there = grid();
    if (there) act(there);
  };
  /** Keys that the grid itself listens for. */
  const shown = { run: () => {}, isPressed: () => false };
  return [
    { key: "→ ←", label: "key.turn", ...shown },
    { key: "⇧ → ←", label: "key.branch", ...shown },
    { key: "*", label: "key.branch.open", ...shown },
    { key: "Home End", label: "key.ends", ...shown },
    { key: "j", label: "key.down", run: on((g) => move(g, 1)) },
    { key: "k", label: "key.up", run: on((g) => move(g, -1)) },
    { key: "e", label: "key.error", run: on((g) => toError(g, 1)) },
    { key: "E", label: "key.error.before", run: on((g) => toError(g, -1)) },
    { key: "+", label: "key.open.all", run: on((g) => { g.view.all(false); g.changed(); }) },
    { key: "-", label: "key.close.all", run: on((g) => { g.view.all(true); g.changed(); g.select(Math.max(0, g.view.root)); }) },
    { key: ".", label: "key.drill", run: on((g) => drill(g.active)) },
    { key: "Escape", label: "key.drill.up", run: up },
    { key: "o", label: "key.frames", run: frames },
  ];
}
