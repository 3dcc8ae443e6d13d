/** The tree with its timeline above and its heat strip at the side, with one shared selection. */
import { useEffect, useRef } from "../vendor/hooks.js";
import { effect } from "../vendor/signals.js";
import { t } from "../i18n/index.js";
import { place } from "../state/place.js";
import { html } from "../ui/html.js";
import { useKeys } from "../ui/frame.js";
import { Clock, criticalPath } from "../tree/clock.js";
import { Strip, whenTurned } from "../tree/strip.js";
import { Flame } from "../tree/flame.js";
import { Grid } from "../tree/grid.js";
import { letters, listen } from "../tree/keys.js";
import { head, isCut, score, seek } from "./playhead.js";
import { Splitter } from "./splitter.js";
import { choose, chosen, drill, drillUp, grid, turnFrames, turns } from "./state.js";
import { Texts } from "./texts.js";

/** @typedef {import("../tree/view.js").View} View */

/** @type {[number, number][]} */
const NOTHING = [];
/** Creates the loader of the first words of rows in view. @typedef {(made: Grid) => {want: (rows: number[]) => void}} Words */

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
  made.active = Math.max(0, chosen.peek());
  time.active = made.active;
  heat.paint();
  if (view.position[made.active] > 0) made.select(made.active, true);
  const colours = whenTurned(() => { heat.paint(); time.schedule(); });
  const shown = effect(() => {
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

/** What the timeline draws in addition to its rows, by the URL. @param {View} view @returns {import("../tree/timeline.js").More} */
function drawn(view) {
  const { critical } = place.value.query;
  const made = score.value;
  return { clock: isCut() && made ? made.clock : new Clock(view.o, NOTHING), busy: made && made.busy, critical: critical ? criticalPath(view) : null };
}

/** @param {{view: View, words?: Words}} props */
export function Tree({ view, words = (made) => new Texts(made, view.o.version) }) {
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
  const toRows = () => rows.current?.focus({ preventScroll: true }); // which handles the arrow keys
  return html`<canvas class="flame" ref=${flame} onClick=${toRows} role="img" aria-label=${t("tree.flame")}></canvas>
    <${Splitter} flame=${flame} />
    <div class="tree"><div class="rows-box"><div class="grid" ref=${rows} role="treegrid" tabindex="0" aria-label=${t("tree.label")}></div></div>
      <canvas class="strip" ref=${strip} onClick=${toRows} role="img" aria-label=${t("tree.strip")}></canvas></div>`;
}
