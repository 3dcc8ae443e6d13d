/** Shades by quantile: the largest values on the page have the strongest shade, for any distribution. */
const STEPS = [0.5, 0.7, 0.85, 0.95];

/**
 * Return a function from a value to its shade, 0 (none) to 4. Equal values have equal shades; if all
 * are equal, none is shaded.
 * @param {(number | null)[]} values
 */
export function shades(values) {
  const known = values.filter((value) => value !== null).sort((a, b) => a - b);
  const least = known[0];
  const most = known.at(-1);
  const limits = STEPS.map((share) => known[Math.floor(share * (known.length - 1))]);
  return (/** @type {number | null} */ value) => {
    if (value === null || value === 0 || least === most) return 0;
    return limits.filter((limit) => value > limit || value === most).length;
  };
}
