/** The reader's position in the list when they left it, kept in the tab and restored when they come back. */
import { read, write } from "../state/reader.js";

/** @typedef {{url: string, row: string, sight: number}} Stand `row`: its trace id; `sight`: how far below the edge of the visible part */

const NAME = "list.stand";
const address = () => location.pathname + location.search;
/** Whether no position was restored yet: later rows are results of another query. */
let isFirst = true;
/** @param {HTMLElement} row */
const boxOf = (row) => /** @type {HTMLElement} */ (row.closest(".scroll"));

/** Keep the position of the active row. @param {string} id @param {HTMLElement | undefined} row */
export function keepStand(id, row) {
  if (row) write(NAME, { url: address(), row: id, sight: row.offsetTop - boxOf(row).scrollTop }, sessionStorage);
}

/** Restore the scroll position, and return the number of the row that was active; -1 if another list is shown. @param {string[]} ids @param {ArrayLike<HTMLElement>} rows */
export function standAgain(ids, rows) {
  const { url, row, sight } = read(NAME, /** @type {Stand} */ ({ url: "", row: "", sight: 0 }), sessionStorage);
  const at = isFirst && url === address() ? ids.indexOf(row) : -1;
  isFirst = false;
  if (at >= 0) boxOf(rows[at]).scrollTop = rows[at].offsetTop - sight;
  return at;
}
