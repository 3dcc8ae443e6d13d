/** Draws the marks of a timeline: concurrency, first tokens, the critical path, cuts, the playhead. */
/** @typedef {import("./drawing.js").Pen} Pen */

const STACK = { top: 16, high: 9 };

/** Draw the concurrency below the time labels, as heights. @param {Pen & {width: number}} pen @param {{times: Float64Array, counts: Uint16Array, most: number}} busy @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
export function stacked({ context, of, width }, { times, counts, most }, [from, to], clock) {
  const scale = width / (to - from);
  context.fillStyle = of.line;
  context.fillRect(0, STACK.top + STACK.high, width, 1);
  context.fillStyle = of.soft;
  let taken = 0;
  for (let k = 0; k + 1 < times.length; k++) {
    const end = Math.min(width, (clock.of(times[k + 1]) - from) * scale);
    const x = Math.max(0, (clock.of(times[k]) - from) * scale);
    if (end < taken + 0.5 || !counts[k]) continue; // draw each pixel once
    const high = Math.max(1, (counts[k] / most) * STACK.high);
    context.fillRect(Math.max(x, taken), STACK.top + STACK.high - high, Math.max(end - Math.max(x, taken), 0.5), high);
    taken = end;
    if (x > width) return;
  }
}

/** Mark the time of the first token. @param {Pen} pen @param {number} x @param {number} y @param {number} high */
export function notch({ context, of }, x, y, high) {
  context.fillStyle = of.page;
  context.fillRect(Math.round(x), y, 1, high);
  context.beginPath();
  context.moveTo(x - 2.5, y);
  context.lineTo(x + 3.5, y);
  context.lineTo(x + 0.5, y + 4);
  context.fill();
}

/** Mark a row of the critical path. @param {Pen} pen @param {number} x @param {number} y @param {number} wide */
export function underline({ context, of }, x, y, wide) {
  context.fillStyle = of.page;
  context.fillRect(x, y - 1, wide, 1);
  context.fillStyle = of.accent;
  context.fillRect(x, y, wide, 2);
}

/** Mark where idle time was cut out. @param {Pen & {width: number, height: number}} pen @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
export function seams({ context, of, width, height }, [from, to], clock) {
  context.fillStyle = of.page;
  for (const [begin] of clock.cut) {
    const x = ((clock.of(begin) - from) / (to - from)) * width;
    const wide = Math.max(Math.min(3, width / clock.cut.length / 4), (clock.seam / (to - from)) * width);
    if (x + wide < 0 || x > width) continue;
    context.fillRect(x, 0, wide, height);
    if (wide < 2) continue;
    context.fillStyle = of.soft;
    for (let y = 0; y < height; y += 5) context.fillRect(Math.round(x + wide / 2), y, 1, 3);
    context.fillStyle = of.page;
  }
}

/** @param {Pen & {width: number, height: number}} pen @param {[number, number]} axis @param {number} at on the clock */
export function playhead({ context, of, width, height }, [from, to], at) {
  const x = ((at - from) / (to - from)) * width;
  context.fillStyle = of.accent;
  context.fillRect(Math.round(x) - 1, 0, 2, height);
}
