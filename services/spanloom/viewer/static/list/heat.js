/** Shades by quantile: of the values on the page the largest stand out, however they are spread. */

const STEPS = [0.5, 0.7, 0.85, 0.95];

/**
 * Return what gives each value its shade, 0 (none) to 4. Equal values have equal shades; where all
 * are equal, none stands out.
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
