/** Arranges the boxes of a graph in rows and columns if a single column would be too tall to read. */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {Point & {width: number, height: number}} Placed */
/** @typedef {{from: string, to: string, calls: number, handoffs?: number}} Edge */
/** @typedef {{width: number, height: number, boxes: Map<string, Placed>, paths: {edge: Edge, points: Point[]}[]}} Plan */
/** The place of a box in rows and columns. `lane`: the vertical position of the space above it; `left`: the left edge of its rank; `isFirst`, `isLast`: whether it is in the first or last column of its rank. @typedef {Placed & {lane: number, left: number, isFirst: boolean, isLast: boolean}} Cell */

/** Maximum number of boxes in a column before the layout is wrapped. */
const MOST = 6;
const APART = 60;
const BETWEEN = 18;
const MARGIN = 16;
/** The usual ratio of width to height of the space for a graph. */
const SHAPE = 1.4;

/** Return the layout with boxes in several columns if it is too tall, otherwise unchanged. @param {Plan} plan @returns {Plan} */
export function wrapped(plan) {
  /** @type {Map<number, [string, Placed][]>} */
  const byX = new Map();
  for (const one of plan.boxes) byX.set(one[1].x, [...(byX.get(one[1].x) ?? []), one]);
  const ranks = [...byX].sort(([a], [b]) => a - b).map(([, boxes]) => boxes.sort(([, a], [, b]) => a.y - b.y));
  const longest = Math.max(0, ...ranks.map((rank) => rank.length));
  if (longest <= MOST) return plan;
  const plans = Array.from({ length: longest - MOST + 1 }, (_, k) => placed(ranks, MOST + k));
  const best = plans.reduce((a, b) => (sizeOf(b) < sizeOf(a) ? b : a));
  const { cells } = best;
  const paths = plan.paths.map(({ edge }) => ({ edge, points: around(/** @type {Cell} */ (cells.get(edge.from)), /** @type {Cell} */ (cells.get(edge.to))) }));
  return { width: best.width, height: best.height, boxes: cells, paths };
}

/** The width of the smallest space of ratio `SHAPE` into which a drawing fits. @param {{width: number, height: number}} drawing */
const sizeOf = ({ width, height }) => Math.max(width, height * SHAPE);

/** Place the boxes of each rank in columns of at most `rows` boxes. @param {[string, Placed][][]} ranks @param {number} rows */
function placed(ranks, rows) {
  const most = Math.min(rows, Math.max(...ranks.map((rank) => rank.length)));
  const heights = Array.from({ length: most }, (_, row) => Math.max(...ranks.flatMap((rank) => rank.filter((_one, k) => k % rows === row && rank.length > 1).map(([, { height }]) => height)), 0));
  const tops = heights.map((_, row) => MARGIN + BETWEEN + heights.slice(0, row).reduce((sum, one) => sum + one + BETWEEN, 0));
  const height = tops[most - 1] + heights[most - 1] + MARGIN;
  /** @type {Map<string, Cell>} */
  const cells = new Map();
  let x = MARGIN;
  for (const rank of ranks) {
    const left = x;
    for (let at = 0; at < rank.length; at += rows) {
      const column = rank.slice(at, at + rows);
      const width = Math.max(...column.map(([, box]) => box.width));
      for (const [k, [id, box]] of column.entries()) {
        const y = rank.length === 1 ? height / 2 : tops[k] + box.height / 2;
        cells.set(id, { ...box, x: x + width / 2, y, left, lane: y - box.height / 2 - BETWEEN / 2, isFirst: at === 0, isLast: at + rows >= rank.length });
      }
      x += width + APART;
    }
  }
  return { width: x - APART + MARGIN, height, cells };
}

/** A path between two boxes along the spaces between rows and columns, which crosses no box. @param {Cell} from @param {Cell} to @returns {Point[]} */
function around(from, to) {
  const [begin, end] = [{ x: from.x + from.width / 2, y: from.y }, { x: to.x - to.width / 2, y: to.y }];
  const [out, into] = [begin.x + APART / 3, end.x - APART / 3];
  const isOnward = to.left > from.x;
  const [leaving, arriving] = [isOnward && from.isLast ? begin.y : from.lane, isOnward && to.isFirst ? end.y : to.lane];
  const turn = isOnward ? Math.max(out, to.left - APART / 3) : out;
  return [begin, { x: out, y: begin.y }, { x: out, y: leaving }, { x: turn, y: leaving }, { x: turn, y: arriving }, { x: into, y: arriving }, { x: into, y: end.y }, end];
}
