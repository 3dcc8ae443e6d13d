/** The edge between the timeline and the tree: dragged, or moved by keys; Enter or a double click folds the timeline away and back. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { kept } from "../state/kept.js";
import { html } from "../ui/html.js";

/** Pixels; null: as high as its lanes need, up to what the style sheet allows. */
const height = kept("timeline.height", /** @type {number | null} */ (null));
/** Lower than this nothing can be read: it is folded away. */
const LEAST = 40;
/** The tree keeps the rest of the window. */
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
  useLayoutEffect(() => { // before the next key, which goes on from the height it finds
    const style = flame.current?.style;
    if (style) [style.maxHeight, style.display] = [high === null ? "" : `${high}px`, high === 0 ? "none" : ""];
    edge.current?.setAttribute("aria-valuenow", String(now())); // known once it is drawn
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
