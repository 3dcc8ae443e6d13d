/** Colours and font of the style sheet, for drawing on a canvas. */
const NAMES = ["agent", "model", "tool", "graph", "other", "error", "page", "stripe", "line", "ink", "soft", "accent", "warm", "warm-time"];

const dark = matchMedia("(prefers-color-scheme: dark)");
/** @type {Record<string, string> | null} */
let known = null;

/** The current colours, light or dark; cached, because reading them in a frame forces a layout. */
export function colors() {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  known = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return (known = { ...known, font: style.fontFamily });
}

whenTurned(() => { known = null; });

/** Call `run` when the colours change; returns a function that stops this. @param {() => void} run */
export function whenTurned(run) {
  dark.addEventListener("change", run);
  addEventListener("themechange", run);
  return () => {
    dark.removeEventListener("change", run);
    removeEventListener("themechange", run);
  };
}

/** Size a canvas to its box at the screen's pixel density, and return its context and size. @param {HTMLCanvasElement} canvas */
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
