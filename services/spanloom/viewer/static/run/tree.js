/** The tree with its timeline above and its heat strip at the side, with one shared selection. */
import { useEffect, useLayoutEffect, useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { kept } from "../state/reader.js";
import { html } from "../ui/html.js";
import { getJson } from "../api.js";
import { place } from "../state/place.js";
import { choose, chosen, drill, drillUp, grid, grown, runPath, turnFrames, turns } from "./state.js";
import { effect } from "../vendor/signals.js";
import { useKeys } from "../ui/frame.js";
import { Clock, criticalPath } from "../tree/clock.js";
import { Strip, whenTurned } from "../tree/strip.js";
import { Flame } from "../tree/flame.js";
import { Grid } from "../tree/grid.js";
import { letters, listen } from "../tree/keys.js";
import { head, isCut, score, seek } from "./player.js";

// The splitter between timeline and tree: dragged, or moved by keys; Enter or a double click collapses and
// restores the timeline.

/** Height in pixels; null: as high as its lanes need, up to the limit of the style sheet; collapsed on a phone. */
const height = kept("timeline.height", /** @type {number | null} */ (matchMedia("(max-width: 560px)").matches ? 0 : null));
/** Minimum legible height; below it the timeline is collapsed. */
const LEAST = 40;
/** Maximum share of the window's height that the timeline takes. */
const MOST_SHARE = 0.6;
const STEP = 24;

/** @param {number} wanted */
function set(wanted) {
  const most = Math.round(innerHeight * MOST_SHARE);
  height.value = wanted < LEAST ? 0 : Math.min(most, Math.round(wanted));
}

/** @param {{flame: {current: HTMLCanvasElement | null}}} props */
export function Splitter({ flame }) {
  const high = height.value;
  const edge = useRef(/** @type {HTMLElement | null} */ (null));
  useLayoutEffect(() => { // before the next key, because that starts from the current height
    const style = flame.current?.style;
    if (style) [style.maxHeight, style.display] = [high === null ? "" : `${high}px`, high === 0 ? "none" : ""];
    edge.current?.setAttribute("aria-valuenow", String(now())); // the height is known once the timeline is drawn
  }, [high]);
  const now = () => flame.current?.clientHeight ?? 0;
  const fold = () => { height.value = high === 0 ? null : 0; };
  /** @param {PointerEvent} event */
  const drag = (event) => {
    const { current: it } = edge;
    const from = now() - event.clientY;
    it?.setPointerCapture(event.pointerId);
    const over = new AbortController();
    it?.addEventListener("pointermove", (moved) => set(from + moved.clientY), over);
    it?.addEventListener("lostpointercapture", () => over.abort(), over);
  };
  /** @type {Record<string, () => void>} */
  const keys = { ArrowDown: () => set(Math.max(LEAST, now() + STEP)), ArrowUp: () => set(now() - STEP), Home: () => set(0), End: () => set(Infinity), Enter: fold };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  };
  return html`<div class="split ${high === 0 ? "folded" : ""}" ref=${edge} role="separator" aria-orientation="horizontal" tabindex="0" aria-label=${t("flame.split")} title=${t("flame.split.means")}
    aria-valuemin="0" aria-valuemax=${Math.round(innerHeight * MOST_SHARE)} onPointerDown=${drag} onDblClick=${fold} onKeyDown=${press}>${high === 0 ? "▾" : ""}</div>`;
}

// The first words of steps: fetched in chunks for the rows in view, once scrolling pauses.

const CHUNK = 128;
const PAUSE_MS = 80;
const MOST = 256;

export class Texts {
  /** @param {import("../tree/grid.js").Grid} shown */
  constructor(shown) {
    this.grid = shown;
    this.of = shown.view.o;
    /** @type {Set<number>} */
    this.chunks = new Set();
    this.pause = 0;
  }

  /** Fetch texts for the rows in view. @param {number[]} rows */
  want(rows) {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      if (this.of !== this.grid.view.o) this.chunks.clear(); // the run has grown
      this.of = this.grid.view.o;
      const wanted = new Set(rows.map((i) => Math.floor(i / CHUNK)));
      for (const chunk of wanted) if (!this.chunks.has(chunk)) void this.fetch(chunk);
    }, PAUSE_MS);
  }

  /** @param {number} chunk */
  async fetch(chunk) {
    const { of } = this;
    this.chunks.add(chunk);
    const from = chunk * CHUNK;
    const { project } = place.peek().query;
    try {
      const data = await getJson(`${runPath()}/rows`, { project, version: this.of.version, from, to: Math.min(from + CHUNK, this.grid.view.o.n) });
      if (this.of !== of) return;
      for (const one of data.items) this.grid.texts.set(one.row, one.error || one.preview);
      this.forget();
      this.grid.updateTexts();
    } catch {
      this.chunks.delete(chunk); // fetched again when the rows come into view again
    }
  }

  /** Keep only the newest chunks. */
  forget() {
    for (const old of this.chunks) {
      if (this.chunks.size <= MOST) return;
      this.chunks.delete(old);
      for (let i = old * CHUNK; i < (old + 1) * CHUNK; i++) this.grid.texts.delete(i);
    }
  }
}

// The tree, its timeline and its heat strip.

/** @typedef {import("../tree/view.js").View} View */

/** @type {[number, number][]} */
const NOTHING = [];
/** Media query: the step is below the tree (style/tree.css), so a tapped step is scrolled into view. */
const IS_BELOW = "(max-width: 860px)";
/** Creates an object that loads the first words of the rows in view. @typedef {(made: Grid) => {want: (rows: number[]) => void}} Words */

/** @param {View} view @param {Words} words @param {HTMLElement} rows @param {HTMLCanvasElement} strip @param {HTMLCanvasElement} flame */
function begin(view, words, rows, strip, flame) {
  const heat = new Strip(strip, view, (share) => {
    rows.scrollTop = share * view.count * made.rowHeight - rows.clientHeight / 2;
  });
  const time = new Flame(flame, view, {
    pick: (i) => made.select(i, true),
    seek,
    zoomed: (axis, isWhole) => (isWhole ? ((made.isFit = true), made.schedule()) : made.zoom(axis, false)),
  });
  let [had, of] = [view.hasFrames, view.o];
  const made = new Grid(rows, view, {
    select: (i) => { time.select(i); choose(i); },
    scrolled: (top, shown) => heat.frame(top, shown),
    wanted: (inSight) => texts.want(inSight),
    toggled: () => {
      heat.paint();
      if (had !== view.hasFrames || of !== view.o) time.changed();
      [had, of] = [view.hasFrames, view.o];
      turns.value = turns.peek() + 1;
    },
  });
  const texts = words(made);
  listen(made);
  rows.addEventListener("click", (event) => {
    const isTwist = event.target instanceof Element && event.target.matches(".twist");
    if (!isTwist && matchMedia(IS_BELOW).matches) document.querySelector(".run .step")?.scrollIntoView();
  });
  made.active = Math.max(0, chosen.peek());
  time.active = made.active;
  heat.paint();
  if (view.position[made.active] > 0) made.select(made.active, true);
  const colours = whenTurned(() => { heat.paint(); time.schedule(); });
  const shown = effect(() => {
    void grown.value; // then the view has another outline
    const more = drawn(view);
    const isOther = made.clock.cut !== more.clock.cut;
    made.clock = more.clock;
    if (isOther) made.updateTexts();
    time.show(more);
  });
  const played = effect(() => {
    made.head = time.head = head.value;
    made.mark();
    time.schedule();
  });
  return { made, stop: () => { colours(); shown(); played(); } };
}

/** The data that the timeline draws besides the rows, as the URL selects them: cut idle time, concurrency, the critical path. @param {View} view @returns {import("../tree/timeline.js").More} */
function drawn(view) {
  const { critical } = place.value.query;
  const made = score.value;
  return { clock: isCut() && made ? made.clock : new Clock(view.o, NOTHING), busy: made && made.busy, critical: critical ? criticalPath(view) : null };
}

/** @param {{view: View, words?: Words}} props */
export function Tree({ view, words = (made) => new Texts(made) }) {
  const rows = useRef(/** @type {HTMLElement | null} */ (null));
  const strip = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  const flame = useRef(/** @type {HTMLCanvasElement | null} */ (null));
  useEffect(() => {
    if (!rows.current || !strip.current || !flame.current) return undefined;
    const { made, stop } = begin(view, words, rows.current, strip.current, flame.current);
    grid.value = made;
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("first-row")));
    return () => {
      stop();
      grid.value = null;
      rows.current?.replaceChildren();
    };
  }, [view]);
  useKeys(letters(() => grid.peek(), { drill, up: drillUp, frames: turnFrames }), []);
  const toRows = () => rows.current?.focus({ preventScroll: true }); // the rows handle the arrow keys
  return html`<canvas class="flame" ref=${flame} onClick=${toRows} role="img" aria-label=${t("tree.flame")}></canvas>
    <${Splitter} flame=${flame} />
    <div class="tree"><div class="rows-box"><div class="grid" ref=${rows} role="treegrid" tabindex="0" aria-label=${t("tree.label")}></div></div>
      <canvas class="strip" ref=${strip} onClick=${toRows} role="img" aria-label=${t("tree.strip")}></canvas></div>`;
}
