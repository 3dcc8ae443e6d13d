/** Searches the runs of a conversation for a text, a few at a time; can be stopped and resumed. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { pathOf } from "./runs.js";
import { fetchRun, partAt } from "./state.js";

/** @typedef {import("../run/search.js").Hit} Hit */
/** `turn` stops the search, or continues it with the remaining runs. @typedef {{n: number, of: number, isGoing: boolean, turn: () => void}} Progress */

const AT_ONCE = 4;

/** The progress of the current search. */
export const progress = signal(/** @type {Progress | null} */ (null));

export class RunSearch {
  /** @param {string} q @param {AbortSignal} until @param {() => void} changed called when there is more to show @param {number[]} order the indexes of the runs in search order */
  constructor(q, until, changed, order) {
    this.q = q;
    this.until = until;
    this.changed = changed;
    this.of = order.length;
    /** The indexes of the runs in search order; runs that could not be read are appended, for when the search is resumed. */
    this.order = [...order];
    this.next = 0;
    this.isGoing = false;
    /** Incremented on each start and stop: workers of an earlier round end. */
    this.round = 0;
    /** The hits by run. @type {Map<number, Hit[]>} */
    this.hits = new Map();
    /** The searched runs. @type {Set<number>} */
    this.seen = new Set();
  }

  /** Search the runs up to a position in the order. @param {number} [end] */
  async go(end = this.order.length) {
    this.round += 1;
    this.isGoing = true;
    const { round } = this;
    this.say();
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.work(end, round)));
    if (round === this.round) this.stop();
  }

  stop() {
    this.round += 1;
    this.isGoing = false;
    this.say();
  }

  say() {
    if (this.until.aborted) return;
    progress.value = { n: this.seen.size, of: this.of, isGoing: this.isGoing, turn: () => (this.isGoing ? this.stop() : void this.go()) };
    this.changed();
  }

  /** @param {number} end @param {number} round */
  async work(end, round) {
    while (this.next < end && round === this.round && !this.until.aborted) {
      const at = this.order[this.next++];
      await this.look(at).catch(() => this.order.push(at));
      this.say();
    }
  }

  /** Search the steps of a run; its outline is loaded if there are hits. @param {number} at */
  async look(at) {
    let data = await this.ask(at);
    if (data.items.length && !partAt(at).outline) {
      await fetchRun(at);
      if (partAt(at).outline?.version !== data.version) data = await this.ask(at);
    }
    this.hits.set(at, data.items);
    this.seen.add(at);
  }

  /** @param {number} at @returns {Promise<{version: number, items: Hit[]}>} */
  ask(at) {
    const { run, outline } = partAt(at);
    return getJson(`${pathOf(run)}/search`, { q: this.q, project: run.project, version: outline?.version }, this.until);
  }
}
