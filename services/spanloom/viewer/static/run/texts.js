/** The first words of steps: fetched in chunks for the rows in view, once scrolling pauses. */
import { getJson } from "../api.js";
import { place } from "../state/place.js";
import { runPath } from "./state.js";

const CHUNK = 128;
const PAUSE_MS = 80;
const MOST = 256;

export class Texts {
  /** @param {import("../tree/grid.js").Grid} grid @param {number} version */
  constructor(grid, version) {
    this.grid = grid;
    this.version = version;
    /** @type {Set<number>} */
    this.chunks = new Set();
    this.pause = 0;
  }

  /** Fetch texts for the rows in view. @param {number[]} rows */
  want(rows) {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      const wanted = new Set(rows.map((i) => Math.floor(i / CHUNK)));
      for (const chunk of wanted) if (!this.chunks.has(chunk)) void this.fetch(chunk);
    }, PAUSE_MS);
  }

  /** @param {number} chunk */
  async fetch(chunk) {
    this.chunks.add(chunk);
    const from = chunk * CHUNK;
    const { project } = place.peek().query;
    try {
      const data = await getJson(`${runPath()}/rows`, { project, version: this.version, from, to: Math.min(from + CHUNK, this.grid.view.o.n) });
      for (const one of data.items) this.grid.texts.set(one.row, one.error || one.preview);
      this.forget();
      this.grid.updateTexts();
    } catch {
      this.chunks.delete(chunk); // fetched again when the rows come into view again
    }
  }

  /** Keep only the newest chunks. */
  forget() {
    for (const old of this.chunks) {
      if (this.chunks.size <= MOST) return;
      this.chunks.delete(old);
      for (let i = old * CHUNK; i < (old + 1) * CHUNK; i++) this.grid.texts.delete(i);
    }
  }
}
