/** A box that scrolls in both directions, with a button at each edge beyond which there is more. */
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html } from "../ui/html.js";

const EDGES = /** @type {const} */ ({ left: ["‹", -1, 0], right: ["›", 1, 0], up: ["‹", 0, -1], down: ["›", 0, 1] });
/** Scroll distance of a button press, as a share of the visible size. */
const STEP = 0.7;
/** Pixels beyond an edge that are ignored. */
const SLACK = 4;

/** @typedef {keyof typeof EDGES} Edge */

/** The edges beyond which there is more. @param {HTMLElement} box @returns {Edge[]} */
export function beyond({ scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight }) {
  const room = { left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft, up: scrollTop, down: scrollHeight - clientHeight - scrollTop };
  return /** @type {Edge[]} */ (Object.keys(EDGES)).filter((edge) => room[edge] > SLACK);
}

/** @param {{label: string, children?: unknown}} props */
export function Scrolled({ label, children }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [edges, setEdges] = useState(/** @type {Edge[]} */ ([]));
  const look = () => {
    const found = box.current ? beyond(box.current) : [];
    setEdges((before) => (before.join() === found.join() ? before : found));
  };
  useEffect(() => {
    const sizes = new ResizeObserver(look);
    for (const one of [box.current, box.current?.firstElementChild]) if (one) sizes.observe(one);
    return () => sizes.disconnect();
  }, []);
  /** @param {Edge} edge */
  const go = (edge) => () => {
    const { clientWidth = 0, clientHeight = 0 } = box.current ?? {};
    box.current?.scrollBy({ left: EDGES[edge][1] * clientWidth * STEP, top: EDGES[edge][2] * clientHeight * STEP });
  };
  return html`<div class="scrolled"><div class="graph" ref=${box} tabindex="0" role="region" aria-label=${label} onScroll=${look}>${children}</div>
    ${edges.map((edge) => html`<button key=${edge} class="beyond ${edge}" aria-label=${t(`graph.more.${edge}`)} title=${t(`graph.more.${edge}`)} onClick=${go(edge)}><span aria-hidden="true">${EDGES[edge][0]}</span></button>`)}</div>`;
}
