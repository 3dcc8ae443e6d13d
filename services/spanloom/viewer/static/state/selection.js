/**
 * Rows that a user selected in a list, by their keys. They stay selected while the user opens a row and
 * returns, and on other pages of the list; another query clears the selection.
 */
import { effect, signal } from "../vendor/signals.js";
import { read, write } from "./reader.js";

export class Selection {
  /** @param {string} name the key under which the browser tab stores the selection */
  constructor(name) {
    this.chosen = signal(new Set(read(name, /** @type {string[]} */ ([]), sessionStorage)));
    this.query = signal(read(`${name}.filter`, "", sessionStorage)); // the query for which the rows were selected
    this.last = ""; // the row at which a range selection begins
    effect(() => write(name, [...this.chosen.value], sessionStorage));
    effect(() => write(`${name}.filter`, this.query.value, sessionStorage));
  }

  /** Clear the selection if it was made in the results of another query. @param {string} question */
  keepIn(question) {
    if (question === this.query.peek()) return;
    if (this.chosen.peek().size) this.clear();
    this.query.value = question;
  }

  /** Select or deselect a row; a range gets the state of the row where it begins. @param {string} key @param {string[]} [shown] the displayed rows, for a range up to this one */
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

  /** Select all displayed rows, or deselect them if all are selected already. @param {string[]} shown */
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

  /** The number of selected rows that are not displayed. @param {string[]} shown */
  outside(shown) {
    const here = new Set(shown);
    return [...this.chosen.value].filter((key) => !here.has(key)).length;
  }
}
