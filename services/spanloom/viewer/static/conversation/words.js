/** The first words of steps in view, fetched in chunks of their run once scrolling pauses; also loads open runs in view. */
import { getJson } from "../api.js";
import { runsOf } from "./forest.js";
import { pathOf } from "./runs.js";
import { fetchRun } from "./state.js";

const CHUNK = 128;
const PAUSE_MS = 80;
const MOST = 256;

export class Words {
  /** @param {import("../tree/grid.js").Grid} grid */
  constructor(grid) {
    this.grid = grid;
    /** Texts by `RUN/CHUNK`, by rows of the run's own outline; empty while loading. @type {Map<string, Map<number, string>>} */
    this.chunks = new Map();
    /** The outline to which the grid's texts belong. @type {import("../tree/outline.js").Outline | null} */
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
