/** Marks the words of a search in the texts of a step with CSS highlights, so that elements are unchanged. */

const NAME = "found";
const MOST = 1_000;

/** The occurrences of a text in a box; if there are none, the occurrences of its words. @param {HTMLElement} box @param {string} q @returns {Range[]} */
function placesOf(box, q) {
  const whole = placesOfAny(box, [q]);
  return whole.length ? whole : placesOfAny(box, q.split(/\s+/));
}

/** @param {HTMLElement} box @param {string[]} words */
function placesOfAny(box, words) {
  const sought = new RegExp(words.filter(Boolean).map((word) => word.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")).join("|"), "gi");
  /** @type {Range[]} */
  const found = [];
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && found.length < MOST; node = texts.nextNode()) {
    for (const { index, 0: word } of (node.nodeValue ?? "").matchAll(sought)) {
      const range = new Range();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      found.push(range);
    }
  }
  return found;
}

/** The first of these occurrences that is of the rarest word. @param {Range[]} places */
function rareOf(places) {
  const words = places.map((one) => String(one).toLowerCase());
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const least = Math.min(...counts.values());
  return places[words.findIndex((word) => counts.get(word) === least)];
}

/** Mark a text in a box, now and whenever its content changes, and scroll the first occurrence of its rarest word into view. @param {HTMLElement} box @param {string} q @param {AbortSignal} until */
export function mark(box, q, until) {
  if (!("highlights" in CSS)) return;
  let isNew = true;
  const draw = () => {
    const places = placesOf(box, q);
    CSS.highlights.set(NAME, new Highlight(...places));
    if (!isNew || !places.length) return;
    isNew = false;
    const rarest = rareOf(places);
    const panel = box.closest(".step");
    const { top, bottom } = rarest.getBoundingClientRect();
    const { top: from, bottom: to } = panel?.getBoundingClientRect() ?? { top, bottom };
    if (panel && (top < from || bottom > to)) panel.scrollBy(0, top - from - panel.clientHeight / 3);
  };
  const changes = new MutationObserver(draw);
  changes.observe(box, { childList: true, subtree: true, characterData: true });
  until.addEventListener("abort", () => { changes.disconnect(); CSS.highlights.delete(NAME); });
  draw();
}
