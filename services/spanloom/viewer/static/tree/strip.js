/**
 * The heat strip next to the rows: the distribution of tokens, time and errors over all rows that are not hidden.
 * Each line of pixels shows the sums over its rows, relative to the largest sum. If all rows are in view,
 * each has its own band.
 */

// Colours and font of the style sheet, for drawing on a canvas.

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

// The heat strip.

export class Strip {
  /** @param {HTMLCanvasElement} canvas @param {import("./view.js").View} view @param {(share: number) => void} jump */
  constructor(canvas, view, jump) {
    this.canvas = canvas;
    this.view = view;
    this.row = parseInt(getComputedStyle(canvas).getPropertyValue("--row"), 10) || 26;
    this.top = 0;
    this.shown = 0;
    this.height = canvas.clientHeight;
    this.width = canvas.clientWidth;
    this.back = document.createElement("canvas");
    /** @param {PointerEvent} event */
    const go = (event) => jump((event.offsetY - this.row) / this.length());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) go(event);
    });
    new ResizeObserver(() => this.paint()).observe(canvas);
  }

  /** The height in pixels of the strip's part for rows, below the head. */
  length() {
    return Math.max(1, Math.min(this.height - this.row, this.view.count * this.row));
  }

  /** Redraw after changes of rows, size or colours. */
  paint() {
    const { context, width, height } = fitted(this.canvas);
    if (!width || !height) return;
    this.height = height;
    this.width = width;
    const length = Math.ceil(this.length());
    const { tokens, time, bad } = this.sums(length);
    const of = colors();
    context.fillStyle = of.page;
    context.fillRect(0, 0, width, height);
    const half = Math.floor((width - 8) / 2);
    for (let y = 0; y < length; y++) {
      band(context, of.warm, tokens[y], 2, this.row + y, half - 1);
      band(context, of["warm-time"], time[y], half + 2, this.row + y, half - 1);
      if (bad[y]) band(context, of.error, 1, width - 5, this.row + y, 4);
    }
    this.back.width = this.canvas.width;
    this.back.height = this.canvas.height;
    this.back.getContext("2d")?.drawImage(this.canvas, 0, 0);
    this.frame(this.top, this.shown);
  }

  /** By line of pixels: square roots of the shares of tokens and time in the largest sum; the number of errors. @param {number} length */
  sums(length) {
    const { o, rows, count } = this.view;
    const [tokens, time, bad] = [0, 1, 2].map(() => new Float64Array(length + 1));
    for (let at = 0; at < count; at++) {
      const i = rows[at];
      const isOpen = this.view.isOpen(i);
      const below = this.view.sums(i);
      const to = Math.max(Math.floor(((at + 1) * length) / count), Math.floor((at * length) / count) + 1);
      for (let y = Math.floor((at * length) / count); y < to; y++) {
        tokens[y] += below.tokens;
        time[y] += isOpen ? 0 : o.dur[i];
        bad[y] += below.errors;
      }
    }
    for (const one of [tokens, time]) {
      const most = one.reduce((top, value) => Math.max(top, value), 1);
      for (let y = 0; y < length; y++) one[y] = Math.sqrt(one[y] / most);
    }
    return { tokens, time, bad };
  }

  /** Draw a frame around the rows in view. @param {number} top @param {number} shown */
  frame(top, shown) {
    this.top = top;
    this.shown = shown;
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context || !this.back.width) return;
    context.save();
    context.resetTransform();
    context.drawImage(this.back, 0, 0);
    context.restore();
    if (shown >= this.view.count + 1) return;
    const scale = this.length() / Math.max(this.view.count, 1);
    context.strokeStyle = colors().soft;
    context.strokeRect(0.5, this.row + top * scale + 0.5, this.width - 1, Math.max((shown - 1) * scale, 4));
  }
}

/** @param {CanvasRenderingContext2D} context @param {string} color @param {number} share @param {number} x @param {number} y @param {number} width */
function band(context, color, share, x, y, width) {
  if (!share) return;
  context.globalAlpha = Math.max(0.08, share);
  context.fillStyle = color;
  context.fillRect(x, y, width, 1);
  context.globalAlpha = 1;
}
