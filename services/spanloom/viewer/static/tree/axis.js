/** The time axis of the visible rows: on an axis of a whole long run, bars would be hairlines. */
/** Minimum share of the axis in use: below it the axis is adjusted, so that it does not move with every row. */
const LEAST = 0.6;

/**
 * Return the axis that spans the visible rows, or null if the current one still fits.
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
  const [begin, end, left, right] = [from, to, ...now].map((time) => clock.of(time)); // with idle gaps cut out
  const pad = (end - begin) * 0.03;
  const isFit = begin >= left && end <= right && end - begin > (right - left) * LEAST;
  return isFit ? null : [clock.at(begin - pad), clock.at(end + pad)];
}
