/** Colours of the style sheet, for what is drawn on a canvas. */

const NAMES = ["agent", "model", "tool", "graph", "other", "error", "page", "stripe", "line", "ink", "soft", "accent", "warm", "warm-time"];

/** Read the colours as they are now: light or dark. @returns {Record<string, string>} */
export function colors() {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Call when the colours turn; the returned function stops that. @param {() => void} run */
export function whenTurned(run) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", run);
  addEventListener("themechange", run);
  return () => {
    dark.removeEventListener("change", run);
    removeEventListener("themechange", run);
  };
}

/** Size a canvas to its box at the screen's own density, and return its context and its size. @param {HTMLCanvasElement} canvas */
export function fitted(canvas) {
  const scale = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  return { context, width, height };
}
