/** The time axis of the rows: of a long run an axis of the whole would show hairlines. */

/** What of the axis has to be in use: it does not move with every row that comes into sight. */
const LEAST = 0.6;

/**
 * Return the axis that spans the rows on show, or null where it is the one there is already.
 * @param {import("./view.js").View} view @param {number} at @param {number} shown how many rows
 * @param {[number, number]} now
 * @returns {[number, number] | null}
 */
export function axisOf(view, at, shown, now) {
  const { o, rows, count } = view;
  let from = Infinity;
  let to = -Infinity;
  for (let k = Math.max(0, at); k < Math.min(count, at + shown); k++) {
    const i = rows[k];
    from = Math.min(from, o.start[i]);
    if (!view.isOpen(i)) to = Math.max(to, o.start[i] + o.dur[i]);
  }
  if (!(to > from)) return null;
  const isFit = from >= now[0] && to <= now[1] && to - from > (now[1] - now[0]) * LEAST;
  const pad = (to - from) * 0.03;
  return isFit ? null : [from - pad, to + pad];
}
