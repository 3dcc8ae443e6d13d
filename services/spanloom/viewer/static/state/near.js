/** Which known words a word resembles: `durtion` → `duration`. */

/**
 * Return the known words within an edit distance, the nearest first.
 * @param {string} word @param {string[]} known @param {number} most
 */
export function near(word, known, most) {
  const scored = known.map((one) => ({ one, far: distance(word.toLowerCase(), one) }));
  return scored.filter(({ far }) => far <= most).sort((a, b) => a.far - b.far).map(({ one }) => one);
}

/** The edit distance: letters to insert, remove or replace. @param {string} a @param {string} b */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1])));
    }
    row = next;
  }
  return row[b.length];
}
