/** The box for a graph's drawing, which can be scrolled, dragged and zoomed. */
import "../i18n/run_views.js";
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";

// A box that scrolls in both directions, with a button at each edge beyond which there is more.

const EDGES = /** @type {const} */ ({ left: ["‹", -1, 0], right: ["›", 1, 0], up: ["‹", 0, -1], down: ["›", 0, 1] });
/** Scroll distance of a button press, as a share of the visible size. */
const STEP = 0.7;
/** Maximum number of hidden pixels beyond an edge for which no button is shown. */
const SLACK = 4;

/** @typedef {keyof typeof EDGES} BoxEdge */

/** The edges of a scrolled box beyond which there is more content. @param {HTMLElement} box @returns {BoxEdge[]} */
function beyond({ scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight }) {
  const room = { left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft, up: scrollTop, down: scrollHeight - clientHeight - scrollTop };
  return /** @type {BoxEdge[]} */ (Object.keys(EDGES)).filter((edge) => room[edge] > SLACK);
}

/** @typedef {Map<string, {x: number, y: number, width: number, height: number}>} Boxes `x`, `y`: the middle of a box */

// A map of the whole drawing, with the visible part marked; a click or a drag on it scrolls there. Keys scroll the box itself.

/** @param {{box: {current: HTMLElement | null}, map: {width: number, height: number, boxes: Boxes}}} props */
function Overview({ box, map: { width, height, boxes } }) {
  const at = box.current;
  if (!at?.scrollWidth) return "";
  /** @param {PointerEvent} event */
  const go = (event) => {
    const { left, top, width: wide, height: high } = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
    if (event.buttons) at.scrollTo(((event.clientX - left) / wide) * at.scrollWidth - at.clientWidth / 2, ((event.clientY - top) / high) * at.scrollHeight - at.clientHeight / 2);
  };
  const [x, y] = [width / at.scrollWidth, height / at.scrollHeight];
  return html`<svg class="overview-map" aria-hidden="true" viewBox=${`0 0 ${width} ${height}`} onPointerDown=${go} onPointerMove=${go}>
    ${[...boxes.values()].map((one) => html`<rect x=${one.x - one.width / 2} y=${one.y - one.height / 2} width=${one.width} height=${one.height} />`)}
    <rect class="sight" x=${at.scrollLeft * x} y=${at.scrollTop * y} width=${at.clientWidth * x} height=${at.clientHeight * y} /></svg>`;
}

/** @param {{label: string, children?: unknown, box: {current: HTMLElement | null}, map: {width: number, height: number, boxes: Boxes}}} props */
function Scrolled({ label, children, box, map }) {
  const [edges, setEdges] = useState(/** @type {BoxEdge[]} */ ([]));
  const [, draw] = useState(0);
  const look = () => {
    draw((n) => n + 1);
    const found = box.current ? beyond(box.current) : [];
    setEdges((before) => (before.join() === found.join() ? before : found));
  };
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    for (const one of [box.current, box.current?.firstElementChild]) if (one) sizes.observe(one);
    return () => sizes.disconnect();
  }, []);
  /** @param {BoxEdge} edge */
  const go = (edge) => () => {
    const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
    box.current?.scrollBy({ left: EDGES[edge][1] * clientWidth * STEP, top: EDGES[edge][2] * clientHeight * STEP });
  };
  return html`<div class="scrolled"><div class="graph" ref=${box} tabindex="0" role="region" aria-label=${label} onScroll=${look} onPointerDown=${drag}>${children}</div>
    ${edges.map((edge) => html`<button key=${edge} class="beyond ${edge}" aria-label=${t(`graph.more.${edge}`)} title=${t(`graph.more.${edge}`)} onClick=${go(edge)}><span aria-hidden="true">${EDGES[edge][0]}</span></button>`)}${edges.length > 0 && html`<${Overview} box=${box} map=${map} />`}</div>`;
}

/** Drag the contents of the box with the mouse; by touch the browser scrolls them itself. @param {PointerEvent} event */
function drag(event) {
  const box = /** @type {HTMLElement} */ (event.currentTarget);
  if (event.pointerType === "touch" || event.button !== 0) return;
  const { clientX: x, clientY: y } = event;
  const { scrollLeft, scrollTop } = box;
  const over = new AbortController();
  addEventListener("pointermove", (moved) => box.scrollTo(scrollLeft + x - moved.clientX, scrollTop + y - moved.clientY), over);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => over.abort(), over);
}

/** The factor for one press of a zoom button, and the limits of the scale. */
const ZOOM = { by: 1.3, least: 0.1, most: 3 };

/** Minimum initial scale: text of 12 pixels has 8.4 pixels and is still legible. */
const SMALLEST = 0.7;

/** A drawing in a scrolled box, with buttons for its scale; to begin with it shrinks to fit as long as it is legible. @param {{width: number, height: number, boxes: Boxes, label: string, children?: unknown}} props */
export function Zoomed({ width, height, boxes, label, children }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [scale, setScale] = useState(0); // 0: computed from the size of the box
  const now = () => (box.current?.querySelector("svg")?.getBoundingClientRect().width ?? width) / width;
  const by = (/** @type {number} */ factor) => () => setScale(Math.min(ZOOM.most, Math.max(ZOOM.least, now() * factor)));
  const fit = () => { if (box.current) setScale(Math.max(ZOOM.least, Math.min(1, (box.current.clientWidth - 2) / width, (box.current.clientHeight - 2) / height))); };
  const style = scale ? { width: `${width * scale}px`, minWidth: "0", maxWidth: "none" } : { width: `${width}px`, minWidth: `${width * SMALLEST}px` };
  return html`<div class="graph-tools zoom"><button aria-label=${t("graph.out")} title=${t("graph.out")} onClick=${by(1 / ZOOM.by)}>−</button><button aria-label=${t("graph.in")} title=${t("graph.in")} onClick=${by(ZOOM.by)}>+</button><button onClick=${fit}>${t("graph.fit")}</button></div>
    <${Scrolled} label=${label} box=${box} map=${{ width, height, boxes }}><svg style=${style} viewBox=${`0 0 ${width} ${height}`}>
      <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" /></marker></defs>
      ${children}</svg><//>`;
}
