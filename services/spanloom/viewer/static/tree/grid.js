/**
 * The tree as a treegrid of fixed row height: row elements are moved and reused (`row.js`). The focus stays on the
 * grid (`aria-activedescendant`).
 */
import { t } from "../i18n/index.js";
import { axisOf, Clock } from "./clock.js";
import { make, Pool } from "./row.js";

const MORE = 6;
const HEADS = /** @type {const} */ (["tree.step", "tree.head.tokens", "tree.head.time", "tree.head.bar"]);

/** @typedef {{select: (i: number) => void, scrolled: (top: number, shown: number) => void, wanted: (rows: number[]) => void, toggled: () => void}} Listener */

export class Grid {
  /** @param {HTMLElement} host @param {import("./view.js").View} view @param {Listener} listener */
  constructor(host, view, listener) {
    this.host = host;
    this.view = view;
    this.listener = listener;
    this.active = 0;
    this.texts = /** @type {Map<number, string>} */ (new Map());
    this.marks = /** @type {import("./row.js").Marks | null} */ (null);
    this.heads = /** @type {import("./row.js").Heads | null} */ (null);
    this.clock = new Clock(view.o, []); // the clock of the bars
    this.axis = /** @type {[number, number]} */ ([view.o.first, view.o.last]);
    this.isFit = true;
    this.head = /** @type {number | null} */ (null); // rows that begin after the playhead are dimmed
    this.frame = this.calm = 0;
    this.height = host.clientHeight;
    this.rowHeight = parseInt(getComputedStyle(host).getPropertyValue("--row"), 10) || 26;
    this.warmest = view.o.tin.reduce((most, tin, i) => Math.max(most, tin + view.o.tout[i]), 1);
    this.body = withHead(host);
    this.pool = new Pool(this.body);
    host.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => {
      this.height = host.clientHeight;
      this.refresh();
    }).observe(host);
    this.refresh();
  }

  /** Redraw after the set of visible rows has changed. */
  refresh() {
    this.body.style.height = `${this.view.count * this.rowHeight}px`;
    this.host.ariaRowCount = String(this.view.count + 1);
    this.pool.forget();
    this.schedule();
  }

  schedule() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const top = this.host.scrollTop / this.rowHeight; // read once, before any write, to avoid layouts
    const shown = Math.ceil(this.height / this.rowHeight) + 1;
    const size = Math.min(shown + 2 * MORE, this.view.count);
    const from = Math.max(0, Math.min(Math.floor(top) - MORE, this.view.count - size));
    const isFlying = this.pool.from >= 0 && Math.abs(from - this.pool.from) > size / 2;
    const axis = this.isFit && !isFlying && axisOf(this.view, Math.floor(top), shown, this.axis, this.clock);
    if (axis) this.zoom(axis, true);
    this.pool.place(this.view, from, size, this.rowHeight);
    if (isFlying) this.later();
    else if (!this.pool.fill(Math.floor(top), this.view, this)) this.schedule();
    this.mark();
    this.listener.scrolled(top, this.height / this.rowHeight);
    if (!isFlying) this.listener.wanted(Array.from(this.view.rows.subarray(from, from + size)));
  }

  /** During fast scrolling rows have only names; fill them when scrolling pauses. */
  later() {
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.schedule(), 60);
  }

  /** Set texts of rows after they were fetched. */
  updateTexts() {
    this.pool.markStale();
    this.schedule();
  }

  /** Set the axis of the bars. @param {[number, number]} axis @param {boolean} isFit whether it follows the visible rows */
  zoom(axis, isFit) {
    this.axis = axis;
    this.isFit = isFit;
    this.pool.draw(this.view.o, axis, this.clock);
  }

  mark() {
    const isSeen = this.pool.has(this.view.position[this.active]);
    for (const row of this.pool.rows) row.mark(row.i === this.active, this.head !== null && this.view.o.start[row.i] > this.head);
    if (isSeen) this.host.setAttribute("aria-activedescendant", `r${this.active}`);
    else this.host.removeAttribute("aria-activedescendant");
  }

  /** Make a row active and scroll it into view; a row in view does not move. @param {number} i @param {boolean} [isCentred] */
  select(i, isCentred = false) {
    if (i < 0 || i >= this.view.o.n) return;
    if (this.view.position[i] < 0) {
      this.view.reveal(i);
      this.changed();
    }
    const top = this.view.position[i] * this.rowHeight;
    const room = this.height - 2 * this.rowHeight;
    const now = this.host.scrollTop;
    const isOut = top < now || top > now + room;
    if (isOut) this.host.scrollTop = isCentred ? top - room / 2 : top < now ? top : top - room;
    this.pick(i);
  }

  /** Make a row active without scrolling, because a clicked row is at least partly in view. @param {number} i */
  pick(i) {
    this.active = i;
    this.schedule();
    this.listener.select(i);
  }

  /** Redraw after rows were opened, closed or filtered. */
  changed() {
    this.refresh();
    this.listener.toggled();
  }
}

/** Create the head, and return the element that holds the rows. @param {HTMLElement} host */
function withHead(host) {
  const head = make("div", "head", host, "row");
  head.ariaRowIndex = "1";
  for (const title of HEADS) make("span", "c", head, "columnheader").textContent = t(title);
  return make("div", "rows", host, "rowgroup");
}
