/** The time axis of the rows: of a long run an axis of the whole would show hairlines. */

/** What of the axis has to be in use: it does not move with every row that comes into sight. */
const LEAST = 0.6;

/**
 * Return the axis that spans the rows on show, or null where it is the one there is already.
 * @param {import("./view.js").View} view @param {number} at @param {number} shown how many rows
 * @param {[number, number]} now @param {import("./clock.js").Clock} clock
 * @returns {[number, number] | null}
 */
export function axisOf(view, at, shown, now, clock) {
  const { o, rows, count } = view;
  let from = Infinity;
  let to = -Infinity;
  for (let k = Math.max(0, at); k < Math.min(count, at + shown); k++) {
    const i = rows[k];
    from = Math.min(from, o.start[i]);
    if (!view.isOpen(i)) to = Math.max(to, o.start[i] + o.dur[i]);
  }
  if (!(to > from)) return null;
  const [begin, end, left, right] = [from, to, ...now].map((time) => clock.of(time)); // with what is cut out
  const pad = (end - begin) * 0.03;
  const isFit = begin >= left && end <= right && end - begin > (right - left) * LEAST;
  return isFit ? null : [clock.at(begin - pad), clock.at(end + pad)];
}
