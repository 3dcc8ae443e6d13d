/** The graph of a run by agents: one box per agent with its calls inside, built only from the outline. */
import { number, t } from "../i18n/index.js";
import { duration, short } from "../format.js";
import { isFault, isPassed, isStep, ms } from "../tree/outline.js";
import { html, line } from "../ui/html.js";
import { head } from "./player.js";
import { choose, chosen, view } from "./state.js";

/** @typedef {import("../tree/outline.js").Outline} Outline */
/** All calls of one type and name by an agent; `first`: the row of the first call. @typedef {{kind: string, name: string, first: number, calls: number, errors: number, tokens: number}} Inner */
/** An agent with all its executions; `rows`: the rows of these executions. @typedef {{id: string, kind: string, name: string, rows: number[], errors: number, tokens: number, units: number, inner: Map<string, Inner>, width: number, height: number}} Agent */
/** @typedef {{from: string, to: string, calls: number, handoffs: number}} AgentEdge */
/** @typedef {{agents: Agent[], edges: AgentEdge[]}} Agents */

/** Maximum number of boxes; further agents share a box, because more boxes would be slow and too many to read. */
const MOST = 60;
/** Maximum number of call names in a box. */
const SHOWN = 6;
const LINE = 17;
const HEAD = 44;
const PAD = 12;
const WIDTHS = { least: 170, most: 340 };
/** Matches tools that hand over to an agent, whose name follows the prefix, as in the service's graph. */
const TO = /^(?:transfer_to_|handoff to )(.+)$/;

/** A name spelled like tool names: in lower case, with underscores. @param {string} name */
const plain = (name) => name.trim().toLowerCase().replace(/[ -]/g, "_");

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/** The width of a text in pixels. @param {string} text @param {boolean} [isBold] */
function widthOf(text, isBold = false) {
  pen.font = `${isBold ? "600 " : ""}12px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** The beginning of a name, as much as fits. @param {string} name @param {number} room in pixels */
export function fitting(name, room) {
  let shown = line(name, 60);
  while (shown.length > 2 && widthOf(shown, true) > room) shown = `${shown.slice(0, -2)}…`;
  return shown;
}

/** Count the calls by each agent of a run, and the calls and handoffs between agents. @param {Outline} o @param {number} first the run's first row @param {number} end @returns {Agents} */
export function agentsOf(o, first, end) {
  /** @type {Map<string, Agent>} */
  const agents = new Map();
  /** @type {Map<string, AgentEdge>} */
  const edges = new Map();
  const owner = new Map([[o.parent[first] ?? -1, /** @type {Agent | null} */ (null)]]);
  const names = /** @type {[Agent, string][]} */ ([]);
  for (let i = first; i < end; i++) {
    const above = owner.get(o.parent[i]) ?? null;
    const kind = o.kinds[o.kind[i]];
    const isOwner = isStep(o, i) && (kind === "agent" || !above);
    const own = isOwner ? agentOf(agents, kind, o.names[o.name[i]]) : above;
    if (o.end[i] > i + 1) owner.set(i, own);
    if (!own || !isStep(o, i)) continue;
    own.errors += Number(isFault(o, i) && !isPassed(o, i));
    own.tokens += o.tin[i] + o.tout[i];
    if (!isOwner) addCall(own, o, i, kind);
    else {
      own.rows.push(i);
      own.units += o.dur[i];
      if (above && above !== own) edgeOf(edges, above.id, own.id).calls += 1;
    }
    const to = kind === "tool" ? TO.exec(o.names[o.name[i]]) : null;
    if (to) names.push([own, plain(to[1])]);
  }
  const named = new Map([...agents.values()].map((one) => [plain(one.name), one]));
  for (const [from, to] of names) if (named.has(to)) edgeOf(edges, from.id, /** @type {Agent} */ (named.get(to)).id).handoffs += 1;
  return { agents: [...agents.values()].map(sized), edges: [...edges.values()] };
}

/** @param {Map<string, Agent>} agents @param {string} kind @param {string} name @returns {Agent} */
function agentOf(agents, kind, name) {
  const isRest = agents.size >= MOST && !agents.has(`${kind}/${name}`);
  const id = isRest ? "…" : `${kind}/${name}`;
  const known = agents.get(id);
  if (known) return known;
  const made = { id, kind, name: isRest ? t("graph.rest") : name, rows: [], errors: 0, tokens: 0, units: 0, inner: new Map(), width: 0, height: 0 };
  agents.set(id, made);
  return made;
}

/** @param {Agent} agent @param {Outline} o @param {number} i @param {string} kind */
function addCall(agent, o, i, kind) {
  const name = o.names[o.name[i]];
  const id = `${kind}/${name}`;
  const one = agent.inner.get(id) ?? { kind, name, first: i, calls: 0, errors: 0, tokens: 0 };
  agent.inner.set(id, one);
  one.calls += 1;
  one.errors += Number(isFault(o, i) && !isPassed(o, i));
  one.tokens += o.tin[i] + o.tout[i];
}

/** @param {Map<string, AgentEdge>} edges @param {string} from @param {string} to */
function edgeOf(edges, from, to) {
  const id = JSON.stringify([from, to]);
  const edge = edges.get(id) ?? { from, to, calls: 0, handoffs: 0 };
  edges.set(id, edge);
  return edge;
}

/** The calls that a box shows, most frequent first. @param {Agent} agent */
const shownOf = ({ inner }) => [...inner.values()].sort((a, b) => b.calls - a.calls).slice(0, SHOWN);

/** @param {Inner} one */
const figures = (one) => `×${number(one.calls)}${one.tokens ? ` · ${short(one.tokens)}` : ""}${one.errors ? ` · ✕ ${one.errors}` : ""}`;

/** Compute the size of a box from its names and numbers. @param {Agent} agent @returns {Agent} */
function sized(agent) {
  const shown = shownOf(agent);
  const widths = shown.map((one) => widthOf(`${one.kind} ${one.name}`, true) + widthOf(figures(one)) + 30);
  const wanted = Math.max(widthOf(`${agent.kind} ${agent.name}`, true) + 60, ...widths) + 2 * PAD;
  const lines = shown.length + Number(agent.inner.size > shown.length);
  return { ...agent, width: Math.ceil(Math.min(WIDTHS.most, Math.max(WIDTHS.least, wanted))), height: HEAD + lines * LINE + (lines ? 8 : 0) };
}

/** Whether a row is running at the playhead. @param {Outline} o @param {number} i @param {number} now */
const runs = (o, i, now) => o.start[i] <= now && now < o.start[i] + Math.max(1, o.dur[i]);

/** The CSS class of an agent's box at the playhead: `running`, `later`, or empty. @param {Agent} agent */
function playedAs({ rows }) {
  const o = view.value?.o;
  const now = head.value;
  if (!o || now === null) return "";
  if (o.start[rows[0]] > now) return "later";
  return rows.some((i) => runs(o, i, now)) ? "running" : "";
}

/** @param {{row: number, label: string, class?: string, children?: unknown}} props a click on this part of a box selects `row` */
function Part({ row, label, class: style = "", children }) {
  const press = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(row);
  };
  return html`<g class=${style} role="button" tabindex="0" aria-label=${label} onClick=${() => choose(row)} onKeyDown=${press}>${children}</g>`;
}

/** The box of an agent. @param {{agent: Agent, at: {x: number, y: number} | undefined}} props */
export function AgentBox({ agent, at }) {
  if (!at) return "";
  const o = view.value?.o;
  const { kind, name, rows, errors, tokens, units, width, height } = agent;
  const shown = shownOf(agent);
  const more = agent.inner.size - shown.length;
  const facts = [rows.length > 1 && t("graph.calls", { n: rows.length }), o && duration(ms(o, units)), tokens > 0 && t("graph.tokens", { n: tokens, short: short(tokens) })];
  const isOn = rows.includes(chosen.value);
  return html`<g class="node agent-box k-${kind} ${isOn ? "on" : ""} ${playedAs(agent)}" transform=${`translate(${at.x - width / 2} ${at.y - height / 2})`}>
    <rect width=${width} height=${height} rx="5" /><rect class="edge-of" width="4" height=${height} rx="2" />
    <${Part} row=${rows[0]} label=${`${kind} ${line(name, 80)}`}><rect class="touch" x="4" width=${width - 4} height=${HEAD - 4} />
      <text x=${PAD} y="18"><tspan class="kind">${kind}</tspan> <tspan class="name">${fitting(name, width - 2 * PAD - 90)}</tspan></text>
      <text x=${PAD} y="34" class="more">${facts.filter(Boolean).join(" · ")}</text>
      ${errors > 0 && html`<text x=${width - PAD} y="18" class="faults">✕ ${errors}</text>`}<title>${line(name, 200)}</title><//>
    ${shown.map((one, k) => html`<${Part} key=${k} class="inner k-${one.kind} ${chosen.value === one.first ? "on" : ""}" row=${one.first} label=${`${one.kind} ${line(one.name, 80)} ${figures(one)}`}>
      <rect class="touch" x="4" y=${HEAD + k * LINE - 2} width=${width - 4} height=${LINE} />
      <text x=${PAD} y=${HEAD + k * LINE + 11}><tspan class="kind">${one.kind}</tspan> ${fitting(one.name, width - 2 * PAD - 50 - widthOf(figures(one)))}</text>
      <text x=${width - PAD} y=${HEAD + k * LINE + 11} class="count ${one.errors ? "faulty" : ""}">${figures(one)}</text><title>${line(one.name, 200)}</title><//>`)}
    ${more > 0 && html`<text x=${PAD} y=${HEAD + shown.length * LINE + 11} class="more">${t("graph.more", { n: more })}</text>`}
  </g>`;
}
