/** The elements of the tree's rows, and the pool of elements for the rows in view. */
import { duration, short } from "../format.js";
import { t } from "../i18n/index.js";
import { ERROR, MERGED, MOVED, ORPHAN } from "../service.js";
import { line } from "../ui/html.js";
import { isFault, isPassed, ms } from "./outline.js";

// One row of the tree: an element that is created once and refilled.

/** @typedef {{fill: (cell: HTMLElement, i: number) => void}} Marks draws annotations into the cell of a row */
/** @typedef {{fill: (row: Row, i: number) => void}} Heads fills the rows of runs in a conversation */
/** @typedef {{warmest: number, texts: Map<number, string>, marks: Marks | null, heads: Heads | null, axis: [number, number], clock: import("./clock.js").Clock}} How the data that rows are filled with */

export const DEEPEST = 24;
const PREVIEW = 160;

/** @param {string} tag @param {string} style @param {Element} [into] @param {string} [role] */
export function make(tag, style, into, role) {
  const made = document.createElement(tag);
  made.className = style;
  if (role) made.setAttribute("role", role);
  into?.append(made);
  return made;
}

export class Row {
  /** @param {Element} body */
  constructor(body) {
    this.at = -1;
    this.i = -1;
    this.until = 0; // when the row that it shows ended
    this.isStale = true; // its content does not match its row
    this.isOn = false;
    this.isLater = false;
    this.node = make("div", "row", body, "row");
    const name = (this.name = make("span", "c name", this.node, "gridcell"));
    this.twist = make("i", "twist", name);
    this.twist.ariaHidden = "true";
    this.kind = make("b", "kind", name);
    this.fault = make("b", "fault-sign", name);
    this.label = make("bdi", "label", name);
    this.times = make("b", "times", name);
    this.below = make("b", "below", name);
    this.preview = make("bdi", "preview", name);
    this.marks = make("span", "marks", name);
    const tokens = make("span", "c tokens", this.node, "gridcell");
    this.warm = make("i", "warm", tokens);
    this.sum = make("span", "", tokens);
    this.time = make("span", "c time", this.node, "gridcell");
    const bar = (this.bar = make("span", "c bar", this.node, "gridcell"));
    this.line = make("i", "line", bar);
    this.after = make("span", "sr", bar);
  }

  /**
   * Show the name of the row at a position; other cells are hidden until `fill`, unless the row is the same as before.
   * @param {import("./view.js").View} view @param {number} at @param {number} height
   */
  place(view, at, height) {
    const { o } = view;
    const i = view.rows[at];
    const { node } = this;
    const isBrief = i !== this.i || node.classList.contains("brief");
    Object.assign(this, { at, i, isStale: true, isOn: false, isLater: false });
    const isError = (o.flags[i] & ERROR) > 0;
    node.id = `r${i}`;
    node.className = `row k-${o.kinds[o.kind[i]]}${isError ? (isPassed(o, i) ? " passed" : " err") : ""}${view.hits && !view.hits[i] ? " dim" : ""}${isBrief ? " brief" : ""}`;
    node.ariaSelected = "false";
    node.style.transform = `translateY(${at * height}px)`;
    node.ariaRowIndex = String(at + 2);
    node.ariaLevel = String(view.level[i] + 1);
    node.ariaSetSize = String(view.siblings(i));
    node.ariaPosInSet = String(view.place[i]);
    node.ariaExpanded = view.has(i) ? String(view.isOpen(i)) : null;
    this.name.style.paddingInlineStart = `${6 + Math.min(view.level[i], DEEPEST) * 14}px`;
    this.label.textContent = line(o.names[o.name[i]], 120);
  }

  /** Fill the rest of the row. @param {import("./view.js").View} view @param {How} how */
  fill(view, how) {
    const { o } = view;
    const { i } = this;
    const isError = (o.flags[i] & ERROR) > 0;
    this.isStale = false;
    this.node.classList.remove("brief");
    this.twist.textContent = view.has(i) ? (view.isOpen(i) ? "▾" : "▸") : "";
    this.kind.textContent = o.kinds[o.kind[i]];
    this.fault.textContent = isError ? "✕" : "";
    this.fault.ariaLabel = isError ? t(isPassed(o, i) ? "tree.failed.below" : "tree.failed") : null;
    this.preview.textContent = line(view.snippets.get(i) || (how.texts.get(i) ?? ""), PREVIEW);
    how.marks?.fill(this.marks, i);
    this.numbers(view, i, how.warmest);
    how.heads?.fill(this, i);
    this.draw(o, how.axis, how.clock);
  }

  /** Fill in the numbers. @param {import("./view.js").View} view @param {number} i @param {number} warmest the most tokens of any row, to which bars are scaled */
  numbers(view, i, warmest) {
    const { o } = view;
    const isClosed = view.has(i) && !view.isOpen(i);
    const loop = view.loopAt(i);
    const sums = view.sums(i);
    this.times.textContent = loop ? t("tree.times", { n: loop.times }) : "";
    this.until = loop && isClosed ? loop.until : o.start[i] + o.dur[i];
    const errors = isClosed ? sums.errors - Number(isFault(o, i)) : 0;
    this.below.textContent = errors ? `✕ ${errors}` : "";
    this.below.title = errors ? t("tree.errors", { n: errors }) : "";
    const own = o.flags[i] & MERGED ? 0 : o.tin[i] + o.tout[i];
    const tokens = isClosed ? sums.tokens : own;
    const below = tokens || isClosed ? 0 : o.tokens[i]; // an open agent shows the tokens of its calls
    const isSum = isClosed || below > 0;
    this.sum.textContent = tokens || below ? (isSum ? "Σ " : "") + short(tokens || below) : "–"; // with an empty cell, screen readers leave the grid
    this.sum.className = below ? "quiet" : "";
    this.sum.title = isSum ? t("tree.sum") : tokens ? t("tree.tokens", { tin: o.tin[i], tout: o.tout[i] }) : "";
    this.warm.style.transform = `scaleX(${Math.min(1, Math.sqrt(tokens / warmest)).toFixed(3)})`;
    this.time.textContent = duration(ms(o, this.until - o.start[i]));
    this.after.textContent = t("tree.after", { time: duration(ms(o, o.start[i] - o.first)) });
    this.label.title = o.flags[i] & ORPHAN ? t("tree.orphan") : o.flags[i] & MOVED ? t("tree.moved") : "";
  }

  /** Mark the row as active or not, only on changes, because each write costs a style pass. @param {boolean} is @param {boolean} isLater whether the playhead has not reached it */
  mark(is, isLater) {
    if (isLater !== this.isLater) this.node.classList.toggle("later", (this.isLater = isLater));
    if (is === this.isOn) return;
    this.isOn = is;
    this.node.classList.toggle("on", is);
    this.node.ariaSelected = String(is);
  }

  /** Draw the bar on an axis. @param {import("./outline.js").Outline} o @param {[number, number]} axis @param {{of: (time: number) => number}} clock */
  draw(o, axis, clock) {
    const [from, to] = axis.map((time) => clock.of(time));
    const at = (/** @type {number} */ time) => Math.min(1, Math.max(0, (clock.of(time) - from) / (to - from)));
    const x = at(o.start[this.i]);
    const width = at(this.until) - x;
    const isSeen = width > 0 || (x > 0 && x < 1);
    this.line.style.transform = isSeen ? `translateX(${(x * 100).toFixed(2)}%) scaleX(${Math.max(width, 0.006).toFixed(4)})` : "scaleX(0)";
  }
}

// The pool of row elements, as many as fit into the grid and a few more. A position always has the same element,
// so that scrolling by three rows fills three. Names are shown at once, the rest of a row when a frame has time:
// at most `WHOLE` rows per frame, rows in view first.

const WHOLE = 12; // on a slow host a screen of 46 takes 20 ms

export class Pool {
  /** @param {Element} body */
  constructor(body) {
    this.body = body;
    this.rows = /** @type {Row[]} */ ([]);
    this.from = -1;
  }

  /** Show the names of `size` rows, starting at the row `from`. @param {import("./view.js").View} view @param {number} from @param {number} size @param {number} height of a row */
  place(view, from, size, height) {
    const { rows } = this;
    while (rows.length < size) rows.push(new Row(this.body));
    while (rows.length > size) rows.pop()?.node.remove();
    for (let at = from; at < from + size; at++) {
      const row = rows[at % size];
      if (row.at !== at || this.from < 0) row.place(view, at, height);
    }
    this.from = from;
  }

  /** Fill as many rows as a frame has time for, from the position `first` on, then the other rows of the pool. @param {number} first @param {import("./view.js").View} view @param {How} how @returns {boolean} whether all are filled */
  fill(first, view, how) {
    const { length } = this.rows;
    let room = WHOLE;
    for (let at = first; at < first + length; at++) {
      const row = this.rows[at % length];
      if (!row.isStale) continue;
      if (!room--) return false;
      row.fill(view, how);
    }
    return true;
  }

  /** Make `place` show the names of all rows again, because all elements may show wrong rows. */
  forget() {
    this.from = -1;
  }

  /** Mark the content of all rows as stale. */
  markStale() {
    for (const row of this.rows) row.isStale = true;
  }

  /** Draw the bars of all rows on an axis. @param {import("./outline.js").Outline} o @param {[number, number]} axis @param {import("./clock.js").Clock} clock */
  draw(o, axis, clock) {
    for (const row of this.rows) if (row.i >= 0) row.draw(o, axis, clock);
  }

  /** Whether the row at a position has an element. @param {number} at */
  has(at) {
    return at >= this.from && at < this.from + this.rows.length;
  }

  /** The row of the pool whose element contains this element. @param {Element} part */
  with(part) {
    return this.rows.find((one) => one.node.contains(part));
  }
}
