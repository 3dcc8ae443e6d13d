/** Fills the heading row of each run in the tree: number, state, name as a link, start, cost, question and answer. */
import { clock, duration, moment, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { pageOf, stateOf } from "../list/run.js";
import { make } from "../tree/row.js";
import { line } from "../ui/html.js";
import { runsOf } from "./join.js";
import { fetchRun, lost } from "./state.js";
import { remember } from "./header.js";
import { getJson } from "../api.js";
import { pathOf } from "./runs.js";

/** @typedef {import("../tree/row.js").Row} Row */
/** @typedef {import("../list/run.js").Run} Run */

/** The elements that were added to the rows that show runs. @type {WeakMap<Row, {name: HTMLAnchorElement, facts: HTMLElement}>} */
const made = new WeakMap();

/** Return the object whose `fill` fills the heading row of each run in a tree. @param {import("../tree/view.js").View} view @returns {import("../tree/row.js").Heads} */
export const headsOf = (view) => ({
  fill(row, i) {
    const runs = runsOf(view.o);
    const facts = made.get(row)?.facts;
    if (facts) facts.textContent = "";
    row.fault.className = "fault-sign";
    if (runs.isHead(i)) fillHead(row, runs.part(i).run, runs.at(i) + 1);
    else if (runs.isWaiting(i)) {
      row.node.classList.replace("k-run", "k-waiting");
      row.kind.textContent = "";
      row.fault.textContent = "";
      row.preview.textContent = lost.peek().get(runs.at(i)) ?? t("conversation.waiting", { n: runs.part(i).run.span_count });
    }
  },
});

/** @param {Row} row */
function partsOf(row) {
  const known = made.get(row);
  if (known) return known;
  const name = /** @type {HTMLAnchorElement} */ (make("a", "run-name"));
  name.tabIndex = -1; // the focus stays on the tree, where Enter follows the link
  name.addEventListener("click", remember);
  const facts = make("span", "facts-of");
  row.preview.after(facts);
  made.set(row, { name, facts });
  return { name, facts };
}

/** @param {Row} row @param {Run} run @param {number} number */
function fillHead(row, run, number) {
  const { name, facts } = partsOf(row);
  const { state, sign, words } = stateOf(run);
  row.node.classList.toggle("err", state === "failed");
  row.kind.textContent = `#${number}`;
  row.fault.className = `fault-sign state s-${state}`;
  row.fault.textContent = sign;
  row.fault.ariaLabel = words;
  row.fault.title = words;
  name.textContent = line(run.root_name || run.trace_id, 120);
  name.href = pageOf(run);
  row.label.replaceChildren(name);
  row.below.textContent = run.failures ? `✕ ${run.failures}` : "";
  row.below.title = run.failures ? t("tree.errors", { n: run.failures }) : "";
  const at = Number(run.started_at);
  facts.textContent = [clock(at), run.cost === null ? "" : money(run.cost)].filter(Boolean).join(" · ");
  facts.title = moment(at);
  row.preview.textContent ||= line([run.question, run.answer].filter(Boolean).join(" → "), 300);
  const tokens = run.input_tokens + run.output_tokens;
  row.sum.textContent = tokens ? short(tokens) : "–";
  row.sum.title = t("tree.tokens", { tin: run.input_tokens, tout: run.output_tokens });
  row.time.textContent = duration(Number(run.duration));
}

// The first words of steps in view, fetched in chunks of their run once scrolling pauses; also loads open runs
// in view.

const CHUNK = 128;
const PAUSE_MS = 80;
const MOST = 256;

export class Words {
  /** @param {import("../tree/grid.js").Grid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Texts keyed by `RUN/CHUNK`, then by row of the run's own outline; empty while loading. @type {Map<string, Map<number, string>>} */
    this.chunks = new Map();
    /** The outline for whose row numbers the grid's texts are set. @type {import("../tree/outline.js").Outline | null} */
    this.of = null;
    this.pause = 0;
  }

  /** Fetch texts for the rows in view. @param {number[]} rows */
  want(rows) {
    const runs = runsOf(this.grid.view.o);
    /** @type {Set<string>} */
    const wanted = new Set();
    for (const i of rows) {
      if (runs.isWaiting(i)) void fetchRun(runs.at(i));
      else if (!runs.isHead(i)) wanted.add(`${runs.at(i)}/${Math.floor(runs.own(i) / CHUNK)}`);
    }
    clearTimeout(this.pause);
    this.pause = setTimeout(() => { for (const key of wanted) if (!this.chunks.has(key)) void this.fetch(key); }, PAUSE_MS);
    if (this.of !== this.grid.view.o) this.renumber();
  }

  /** @param {string} key */
  async fetch(key) {
    const [at, chunk] = key.split("/").map(Number);
    const { run, outline } = runsOf(this.grid.view.o).parts[at];
    const from = chunk * CHUNK;
    this.chunks.set(key, new Map());
    try {
      const data = await getJson(`${pathOf(run)}/rows`, { project: run.project, version: outline?.version, from, to: Math.min(from + CHUNK, outline?.n ?? 0) });
      this.chunks.set(key, new Map(data.items.map((/** @type {any} */ one) => [one.row, one.error || one.preview])));
      for (const old of this.chunks.keys()) if (this.chunks.size > MOST) this.chunks.delete(old);
      this.renumber();
    } catch {
      this.chunks.delete(key); // fetched again when the rows come into view again
    }
  }

  /** Set all known texts on the grid, by the current row numbers. */
  renumber() {
    const { o } = this.grid.view;
    this.of = o;
    this.grid.texts = new Map();
    for (const [key, texts] of this.chunks) {
      for (const [own, text] of texts) this.grid.texts.set(runsOf(o).row(parseInt(key, 10), own), text);
    }
    this.grid.updateTexts();
  }
}
