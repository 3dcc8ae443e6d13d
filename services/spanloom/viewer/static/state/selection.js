/**
 * Rows that a reader selected in a list, by their keys. They stay while the reader opens one and comes back, and on other
 * pages of the list; another question forgets them.
 */
import { effect, signal } from "../vendor/signals.js";
import { read, write } from "./reader.js";

export class Selection {
  /** @param {string} name under which it is kept in the tab */
  constructor(name) {
    this.chosen = signal(new Set(read(name, /** @type {string[]} */ ([]), sessionStorage)));
    this.asked = signal(read(`${name}.filter`, "", sessionStorage)); // the question under which they were selected
    this.last = ""; // where a range begins
    effect(() => write(name, [...this.chosen.value], sessionStorage));
    effect(() => write(`${name}.filter`, this.asked.value, sessionStorage));
  }

  /** Forget all if the list is asked otherwise than when they were selected. @param {string} question */
  keepIn(question) {
    if (question === this.asked.peek()) return;
    if (this.chosen.peek().size) this.clear();
    this.asked.value = question;
  }

  /** Select a row or no longer; a range as the row where it begins. @param {string} key @param {string[]} [shown] the rows in sight, for a range up to this one */
  turn(key, shown) {
    const set = new Set(this.chosen.peek());
    const [from, to] = [shown?.indexOf(this.last) ?? -1, shown?.indexOf(key) ?? -1];
    if (shown && from >= 0) {
      const is = set.has(this.last);
      for (const one of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) if (is) set.add(one); else set.delete(one);
    } else if (!set.delete(key)) set.add(key);
    this.last = key;
    this.chosen.value = set;
  }

  /** Select all of these, or none of them if all are. @param {string[]} shown */
  turnAll(shown) {
    const set = new Set(this.chosen.peek());
    const isWhole = shown.every((key) => set.has(key));
    for (const key of shown) if (isWhole) set.delete(key); else set.add(key);
    this.chosen.value = set;
  }

  clear() {
    this.chosen.value = new Set();
    this.last = "";
  }

  /** How many of the selected rows are none of these. @param {string[]} shown */
  outside(shown) {
    const here = new Set(shown);
    return [...this.chosen.value].filter((key) => !here.has(key)).length;
  }
}
