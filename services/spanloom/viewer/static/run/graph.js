/**
 * The call graph of a run, as the service derives it from the spans: agents, models, tools as boxes. The
 * layout library is loaded on first use.
 */
import { useEffect, useLayoutEffect, useMemo, useState } from "../vendor/hooks.js";
import { number, t } from "../i18n/index.js";
import { html, line } from "../ui/html.js";
import { duration, short } from "../format.js";
import { change, place } from "../state/place.js";
import { batch } from "../vendor/signals.js";
import { asError, missing, useAgain, useFetched } from "../ui/fetched.js";
import { Failure } from "../ui/frame.js";
import { Zoomed } from "./drawing.js";
import { wrapped } from "./wrapping.js";
import { AgentBox, agentsOf, fitting } from "./agents.js";
import { head } from "./player.js";
import { choose, chosen, runPath, view } from "./state.js";
import { Gone } from "./views.js";

// The call graph.

/** @typedef {{id: string, type: string, name: string, agent: string, first_row: number, calls: number, errors: number, input_tokens: number, output_tokens: number, duration_ms: number}} Node */
/** @typedef {{from: string, to: string, calls: number, handoffs?: number}} Edge */
/** @typedef {{nodes: Node[], edges: Edge[], why: string}} Graph */
/** The run that a graph shows: its first row in the outline, and the row after its last row. @typedef {{path: string, project?: string, version: number, first: number, end: number}} Source */
/** @typedef {{width: number, height: number, boxes: Map<string, import("./wrapping.js").Placed>, paths: {edge: Edge, points: {x: number, y: number}[]}[]}} Plan */

const WIDTH = 190;
const HEIGHT = 48;
const MARGIN = 16;
const APART = 40;

/** The run that the URL names. @returns {Source | null} */
function ofPage() {
  const o = view.value?.o;
  return o ? { path: runPath(), project: place.value.query.project, version: o.version, first: 0, end: o.n } : null;
}

/** In larger runs handoffs are recognised only by tool names, because the service would have to read the whole run for other handoffs. */
const LARGE = 20_000;

/** The buttons that choose whether each box is an agent or a call. */
function Modes() {
  const isCalls = place.value.query.graph === "calls";
  return html`<div class="graph-tools"><${Gone} of="graph" there=${["agents", "calls"]} shown=${t("graph.agents")} /><button aria-pressed=${String(!isCalls)} onClick=${() => change({ graph: null }, true)}>${t("graph.agents")}</button>
    <button aria-pressed=${String(isCalls)} onClick=${() => change({ graph: "calls" }, true)}>${t("graph.each")}</button></div>`;
}

/** @param {{source?: Source | null}} props */
export function Graph({ source = ofPage() }) {
  return place.value.query.graph === "calls" ? html`<${CallGraph} source=${source} />` : html`<${AgentGraph} source=${source} />`;
}

/** @param {{source: Source | null}} props */
function AgentGraph({ source }) {
  const o = view.value?.o;
  const made = useMemo(() => (o && source ? agentsOf(o, source.first, source.end) : null), [o, source?.first, source?.end]);
  const isLarge = !source || source.end - source.first > LARGE;
  const fetched = useFetched(isLarge ? "" : `${source.path}/graph`, { project: source?.project, version: source?.version });
  const isKnown = isLarge || fetched.data !== null || fetched.error !== null; // draw only once, because boxes would move
  const edges = made && fetched.data ? withHandoffs(made, fetched.data) : made?.edges;
  const [plan, setPlan] = useState(/** @type {{of: unknown, plan: Plan} | null} */ (null));
  const [failed, setFailed] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [turn, again] = useAgain(failed);
  useEffect(() => {
    let isOver = !made || !isKnown;
    if (made && isKnown) planned({ nodes: made.agents, edges: edges ?? [] }, "agents").then((done) => { if (!isOver) batch(() => { setPlan({ of: made, plan: done }); setFailed(null); }); }, (why) => setFailed(asError(why)));
    return () => { isOver = true; };
  }, [made, isKnown, fetched.data, turn]);
  useLayoutEffect(() => show(document.querySelector(".agent-box.on")), [plan]);
  if (failed) return html`<${Modes} /><${Failure} error=${failed} again=${again} />`;
  if (!made || plan?.of !== made) return html`<${Modes} /><p class="pad quiet">…</p>`;
  return html`<${Modes} /><${Zoomed} boxes=${plan.plan.boxes} width=${plan.plan.width} height=${plan.plan.height} label=${t("graph.label")}>
    ${plan.plan.paths.map(({ edge, points }) => html`<${Line} edge=${edge} points=${points} />`)}
    ${made.agents.map((agent) => html`<${AgentBox} key=${agent.id} agent=${agent} at=${plan.plan.boxes.get(agent.id)} />`)}<//>`;
}

/** The edges between agents, with the handoffs that the service found. @param {import("./agents.js").Agents} made @param {Graph} data */
function withHandoffs({ agents, edges }, { nodes, edges: all }) {
  const ids = new Map(nodes.map((node) => [node.id, node]));
  const known = new Map(agents.map((one) => [one.name, one.id]));
  const found = new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, { ...edge, handoffs: 0 }]));
  for (const edge of all.filter(({ handoffs = 0 }) => handoffs > 0)) {
    const [from, to] = [known.get(ids.get(edge.from)?.agent ?? ""), known.get(ids.get(edge.to)?.name ?? "")];
    if (!from || !to) continue;
    const one = found.get(`${from} ${to}`) ?? { from, to, calls: 0, handoffs: 0 };
    found.set(`${from} ${to}`, { ...one, handoffs: one.handoffs + (edge.handoffs ?? 0) });
  }
  return [...found.values()].filter(({ calls, handoffs }) => calls + handoffs > 0);
}

/** @param {{source: Source | null}} props */
function CallGraph({ source }) {
  const fetched = useFetched(source ? `${source.path}/graph` : "", { project: source?.project, version: source?.version });
  const [drawn, setDrawn] = useState(/** @type {{data: Graph, plan: Plan} | null} */ (null));
  const [failed, setFailed] = useState(/** @type {import("../api.js").ApiError | null} */ (null));
  const [turn, planAgain] = useAgain(failed);
  useEffect(() => {
    const { data } = fetched;
    let isOver = !data;
    if (data) planned(data).then((plan) => { if (!isOver) batch(() => { setDrawn({ data, plan }); setFailed(null); }); }, (why) => setFailed(asError(why)));
    return () => { isOver = true; };
  }, [fetched.data, turn]);
  useLayoutEffect(() => { if (drawn && source) show(document.querySelectorAll(".graph .node")[nodeOf(drawn.data.nodes, source)]); }, [drawn]);
  const error = fetched.error ?? failed;
  if (error) return html`<${Modes} /><${Failure} error=${error} again=${fetched.error ? fetched.again : planAgain} />`;
  if (!source || !drawn) return html`<${Modes} /><p class="pad quiet">…</p>`;
  const { data, plan } = drawn;
  return html`<${Modes} /><${Zoomed} boxes=${plan.boxes} width=${plan.width} height=${plan.height} label=${t("graph.label")}>
        ${plan.paths.map(({ edge, points }) => html`<${Line} edge=${edge} points=${points} />`)}
        ${data.nodes.map((node) => html`<${Box} key=${node.id} node=${node} at=${plan.boxes.get(node.id)} source=${source} />`)}<//>${data.why && html`<p class="pad quiet">${data.why}</p>`}`;
}

/** The box of the selected step (its own box, or the box of all calls of its name), or the first box. @param {Node[]} nodes @param {Source} source */
function nodeOf(nodes, source) {
  const [o, row] = [view.peek()?.o, chosen.peek()];
  const own = nodes.findIndex((node) => source.first + node.first_row === row);
  return Math.max(0, own >= 0 || !o ? own : nodes.findIndex((node) => isOf(o, node, row)));
}

/** Scroll a box to the middle of the view. @param {Element | null | undefined} node */
function show(node) {
  const box = node?.closest(".graph");
  if (!box || !node) return;
  const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
  box.scrollBy(inner.x - outer.x + (inner.width - outer.width) / 2, inner.y - outer.y + (inner.height - outer.height) / 2);
}

/** Whether a row is one of the calls that a box represents. @param {import("../tree/outline.js").Outline} o @param {Node} node @param {number} i */
const isOf = (o, { type, name, agent }, i) => o.kinds[o.kind[i]] === type && o.names[o.name[i]] === name && (!agent || o.agents[o.agent[i]] === agent);

/** Compute the positions of the boxes and the paths of the edges. @param {{nodes: {id: string, width?: number, height?: number}[], edges: Edge[]}} data @param {"calls" | "agents"} [mode] @returns {Promise<Plan>} */
async function planned({ nodes, edges }, mode = "calls") {
  const { default: dagre } = await import("../vendor/dagre.js").catch(() => { throw missing(); });
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: mode === "agents" ? 18 : 10, ranksep: mode === "agents" ? 60 : APART, marginx: MARGIN, marginy: MARGIN });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width = WIDTH, height = HEIGHT } of nodes) graph.setNode(id, { width, height });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph, { disableOptimalOrderHeuristic: true }); // boxes keep the order in which they started
  const plan = {
    ...graph.graph(),
    boxes: new Map(nodes.map(({ id }) => [id, graph.node(id)])),
    paths: edges.map((edge) => ({ edge, points: fromSide(graph.edge(edge.from, edge.to).points, graph.node(edge.from), graph.node(edge.to)) })),
  };
  return mode === "agents" ? wrapped(plan) : plan;
}

/** @typedef {{x: number, y: number}} Point */

/** Let an edge leave its box at the right side and arrive at the left side of a box that is further to the right. @param {Point[]} points @param {Point & {width: number}} from @param {Point & {width: number}} to @returns {Point[]} */
function fromSide(points, from, to) {
  const [begin, end] = [{ x: from.x + from.width / 2, y: from.y }, { x: to.x - to.width / 2, y: to.y }];
  return begin.x < end.x ? [begin, ...points.slice(1, -1), end] : points;
}

/** @param {{edge: Edge, points: {x: number, y: number}[]}} props */
function Line({ edge, points }) {
  const path = points.map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const end = points[points.length - 1];
  const isHandoff = (edge.handoffs ?? 0) > 0;
  const times = isHandoff ? `⇢${number(edge.handoffs ?? 0)}` : edge.calls > 1 ? `${short(edge.calls)}×` : "";
  return html`<path class="edge ${isHandoff ? "handoff" : ""}" d=${path} marker-end="url(#tip)" />
    ${times && html`<text class="times" text-anchor="end" x=${end.x - 9} y=${end.y - 4}>${times}${isHandoff && html`<title>${t("graph.handoffs", { n: edge.handoffs ?? 0 })}</title>`}</text>`}`;
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
    <text x="14" y="20"><tspan class="kind">${node.type}</tspan> <tspan class="name">${fitting(node.name, WIDTH - 40 - (node.type.length + (node.errors ? 5 : 0)) * 7)}</tspan></text>
    <text x="14" y="37" class="more">${fitting(facts.filter(Boolean).join(" · "), WIDTH - 10)}</text>
    ${node.errors > 0 && html`<text x=${WIDTH - 10} y="20" class="faults">✕ ${node.errors}</text>`}
    <title>${line(node.name, 200)}</title>
  </g>`;
}
