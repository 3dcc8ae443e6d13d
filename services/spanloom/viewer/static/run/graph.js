/**
 * The call graph of a run, as the service derives it from the spans: agents, models, tools as boxes. The
 * layout library is loaded on first use.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { html, line } from "../ui/html.js";
import { duration, short } from "../format.js";
import { place } from "../state/place.js";
import { batch } from "../vendor/signals.js";
import { asError, missing, useAgain, useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { head } from "./player.js";
import { choose, chosen, runPath, view } from "./state.js";

// A box that scrolls in both directions, with a button at each edge beyond which there is more.

const EDGES = /** @type {const} */ ({ left: ["‹", -1, 0], right: ["›", 1, 0], up: ["‹", 0, -1], down: ["›", 0, 1] });
/** Scroll distance of a button press, as a share of the visible size. */
const STEP = 0.7;
/** Pixels beyond an edge that are ignored. */
const SLACK = 4;

/** @typedef {keyof typeof EDGES} BoxEdge */

/** The edges beyond which there is more. @param {HTMLElement} box @returns {BoxEdge[]} */
export function beyond({ scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight }) {
  const room = { left: scrollLeft, right: scrollWidth - clientWidth - scrollLeft, up: scrollTop, down: scrollHeight - clientHeight - scrollTop };
  return /** @type {BoxEdge[]} */ (Object.keys(EDGES)).filter((edge) => room[edge] > SLACK);
}

/** @param {{label: string, children?: unknown}} props */
export function Scrolled({ label, children }) {
  const box = useRef(/** @type {HTMLElement | null} */ (null));
  const [edges, setEdges] = useState(/** @type {BoxEdge[]} */ ([]));
  const look = () => {
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
  return html`<div class="scrolled"><div class="graph" ref=${box} tabindex="0" role="region" aria-label=${label} onScroll=${look}>${children}</div>
    ${edges.map((edge) => html`<button key=${edge} class="beyond ${edge}" aria-label=${t(`graph.more.${edge}`)} title=${t(`graph.more.${edge}`)} onClick=${go(edge)}><span aria-hidden="true">${EDGES[edge][0]}</span></button>`)}</div>`;
}

// The call graph.

/** @typedef {{id: string, type: string, name: string, agent: string, first_row: number, calls: number, errors: number, input_tokens: number, output_tokens: number, duration_ms: number}} Node */
/** @typedef {{from: string, to: string, calls: number}} Edge */
/** @typedef {{nodes: Node[], edges: Edge[], why: string}} Graph */
/** The run of a graph: its first row among the outline's, and the row after its last. @typedef {{path: string, project?: string, version: number, first: number, end: number}} Source */
/** @typedef {{width: number, height: number, boxes: Map<string, {x: number, y: number}>, paths: {edge: Edge, points: {x: number, y: number}[]}[]}} Plan */

const WIDTH = 190;
const HEIGHT = 48;
const MARGIN = 16;
const APART = 30;
/** Minimum scale of a graph: its letters of 12 pixels are legible at 8.4. For wider graphs a note is shown. */
const SMALLEST = 0.7;

/** The run of the URL. @returns {Source | null} */
function ofPage() {
  const o = view.value?.o;
  return o ? { path: runPath(), project: place.value.query.project, version: o.version, first: 0, end: o.n } : null;
}

/** @param {{source?: Source | null}} props */
export function Graph({ source = ofPage() }) {
  const asked = useFetched(source ? `${source.path}/graph` : "", { project: source?.project, version: source?.version });
  const [drawn, setDrawn] = useState(/** @type {{data: Graph, plan: Plan} | null} */ (null));
  const [failed, setFailed] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [turn, planAgain] = useAgain(failed);
  useEffect(() => {
    const { data } = asked;
    let isOver = !data;
    if (data) planned(data).then((plan) => { if (!isOver) batch(() => { setDrawn({ data, plan }); setFailed(null); }); }, (why) => setFailed(asError(why)));
    return () => { isOver = true; };
  }, [asked.data, turn]);
  useLayoutEffect(() => { if (drawn && source) show(nodeOf(drawn.data.nodes, source)); }, [drawn]);
  const error = asked.error ?? failed;
  if (error) return html`<${Failure} error=${error} again=${asked.error ? asked.again : planAgain} />`;
  if (!source || !drawn) return html`<p class="pad quiet">…</p>`;
  const { data, plan } = drawn;
  return html`${data.why && html`<p class="pad quiet">${data.why}</p>`}
    <${Scrolled} label=${t("graph.label")}>
      <svg style=${{ width: `${plan.width}px`, minWidth: `${plan.width * SMALLEST}px` }} viewBox=${`0 0 ${plan.width} ${plan.height}`}>
        <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" /></marker></defs>
        ${plan.paths.map(({ edge, points }) => html`<${Line} edge=${edge} points=${points} />`)}
        ${data.nodes.map((node) => html`<${Box} key=${node.id} node=${node} at=${plan.boxes.get(node.id)} source=${source} />`)}
      </svg><//>`;
}

/** The box of the selected step (its own, or that of all calls of its name), or the first one. @param {Node[]} nodes @param {Source} source */
function nodeOf(nodes, source) {
  const [o, row] = [view.peek()?.o, chosen.peek()];
  const own = nodes.findIndex((node) => source.first + node.first_row === row);
  return Math.max(0, own >= 0 || !o ? own : nodes.findIndex((node) => isOf(o, node, row)));
}

/** Scroll a box to the middle of the view. @param {number} at */
function show(at) {
  const box = document.querySelector(".graph");
  const node = box?.querySelectorAll(".node")[at];
  if (!box || !node) return;
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  box.scrollBy(inner.x - outer.x + (inner.width - outer.width) / 2, inner.y - outer.y + (inner.height - outer.height) / 2);
}

/** Whether a row is one of the calls of a box. @param {import("../tree/outline.js").Outline} o @param {Node} node @param {number} i */
const isOf = (o, { type, name, agent }, i) => o.kinds[o.kind[i]] === type && o.names[o.name[i]] === name && (!agent || o.agents[o.agent[i]] === agent);

/** Compute the layout. @param {Graph} data @returns {Promise<Plan>} */
async function planned({ nodes, edges }) {
  const { default: dagre } = await import("../vendor/dagre.js").catch(() => { throw missing(); });
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 10, ranksep: APART, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph, { disableOptimalOrderHeuristic: true }); // in order of start
  return {
    ...graph.graph(),
    boxes: new Map(nodes.map(({ id }) => [id, graph.node(id)])),
    paths: edges.map((edge) => ({ edge, points: graph.edge(edge.from, edge.to).points })),
  };
}

/** @param {{edge: Edge, points: {x: number, y: number}[]}} props */
function Line({ edge, points }) {
  const path = points.map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const middle = points[Math.floor(points.length / 2)];
  return html`<path class="edge" d=${path} marker-end="url(#tip)" />
    ${edge.calls > 1 && html`<text class="times" x=${middle.x + 5} y=${middle.y}>${edge.calls}×</text>`}`;
}

/**
 * The state of a box at the playhead: `running`, `later`, or empty. A box of several calls runs while any
 * of them runs.
 * @param {Node} node @param {Source} source
 */
function playedAs(node, { first, end }) {
  const o = view.value?.o;
  const now = head.value;
  const row = first + node.first_row;
  if (!o || now === null) return "";
  if (o.start[row] > now) return "later";
  const runs = (/** @type {number} */ i) => o.start[i] <= now && now < o.start[i] + Math.max(1, o.dur[i]);
  if (node.calls === 1) return runs(row) ? "running" : "";
  for (let i = row; i < end; i++) if (runs(i) && isOf(o, node, i)) return "running";
  return "";
}

/** @param {{node: Node, at: {x: number, y: number} | undefined, source: Source}} props */
function Box({ node, at, source }) {
  if (!at) return "";
  const tokens = node.input_tokens + node.output_tokens;
  const facts = [node.calls > 1 && t("graph.calls", { n: node.calls }), duration(node.duration_ms), tokens > 0 && t("graph.tokens", { n: tokens, short: short(tokens) })];
  const row = source.first + node.first_row;
  const isOn = chosen.value === row;
  const played = playedAs(node, source);
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(row);
  };
  return html`<g class="node k-${node.type} ${isOn ? "on" : ""} ${played}" role="button" tabindex="0" aria-label=${`${node.type} ${line(node.name, 80)}`}
    transform=${`translate(${at.x - WIDTH / 2} ${at.y - HEIGHT / 2})`} onClick=${() => choose(row)} onKeyDown=${press}>
    <rect width=${WIDTH} height=${HEIGHT} rx="5" /><rect class="edge-of" width="4" height=${HEIGHT} rx="2" />
    <text x="14" y="20"><tspan class="kind">${node.type}</tspan> <tspan class="name">${line(node.name, 18)}</tspan></text>
    <text x="14" y="37" class="more">${facts.filter(Boolean).join(" · ")}</text>
    ${node.errors > 0 && html`<text x=${WIDTH - 10} y="20" class="faults">✕ ${node.errors}</text>`}
    <title>${line(node.name, 200)}</title>
  </g>`;
}
