/** The splitter between timeline and tree: dragged, or moved by keys; Enter or a double click collapses and restores the timeline. */
import { useLayoutEffect, useRef } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { kept } from "../state/reader.js";
import { html } from "../ui/html.js";

/** Height in pixels; null: as high as its lanes need, up to the limit of the style sheet. */
const height = kept("timeline.height", /** @type {number | null} */ (null));
/** Minimum legible height; below it the timeline is collapsed. */
const LEAST = 40;
/** Maximum share of the window; the tree keeps the rest. */
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
  useLayoutEffect(() => { // before the next key, which starts from the current height
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
