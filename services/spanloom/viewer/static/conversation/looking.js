/** Looks through the runs of a conversation for a text, a few at a time, and can be stopped and go on. */
import { getJson } from "../api.js";
import { signal } from "../vendor/signals.js";
import { pathOf } from "./runs.js";
import { fetchRun, partAt } from "./state.js";

/** @typedef {import("../run/search.js").Hit} Hit */
/** `turn` stops what is going, or has the runs that are left looked through. @typedef {{n: number, of: number, isGoing: boolean, turn: () => void}} Progress */

const AT_ONCE = 4;

/** How far the search on show has come. */
export const progress = signal(/** @type {Progress | null} */ (null));

export class Looking {
  /** @param {string} q @param {AbortSignal} until @param {() => void} changed called when there is more to show @param {number[]} order the runs by their numbers, as they are looked through */
  constructor(q, until, changed, order) {
    this.q = q;
    this.until = until;
    this.changed = changed;
    this.of = order.length;
    /** What could not be read is put behind the last, for whoever has the search go on. */
    this.order = [...order];
    this.next = 0;
    this.isGoing = false;
    /** Counts what was begun or stopped: whoever works for an earlier round leaves. */
    this.round = 0;
    /** Where the text stands, by runs. @type {Map<number, Hit[]>} */
    this.hits = new Map();
    /** The runs that were looked through. @type {Set<number>} */
    this.seen = new Set();
  }

  /** Look through the runs before a place in the order. @param {number} [end] */
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

  /** Find the text in the steps of a run; its outline is fetched if it is there. @param {number} at */
  async look(at) {
    let told = await this.ask(at);
    if (told.items.length && !partAt(at).outline) {
      await fetchRun(at);
      if (partAt(at).outline?.version !== told.version) told = await this.ask(at);
    }
    this.hits.set(at, told.items);
    this.seen.add(at);
  }

  /** @param {number} at @returns {Promise<{version: number, items: Hit[]}>} */
  ask(at) {
    const { run, outline } = partAt(at);
    return getJson(`${pathOf(run)}/search`, { q: this.q, project: run.project, version: outline?.version }, this.until);
  }
}
