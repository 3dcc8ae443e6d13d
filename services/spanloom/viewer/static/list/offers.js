/** The suggestions below the query box: when they are shown, and the keys that choose one. */
import { useRef, useState } from "../vendor/hooks.js";
import { kept } from "../state/reader.js";
import { loadFields } from "./columns.js";

/** @typedef {import("./suggest.js").Subject} Subject */

/** Queries that this browser has sent, newest first, by subject. */
const recent = kept("questions", /** @type {Record<string, string[]>} */ ({}));
const MOST_RECENT = 8;

/** @param {Subject} of @param {string} query */
export function remember(of, query) {
  if (query) recent.value = { ...recent.peek(), [of]: [query, ...(recent.peek()[of] ?? []).filter((one) => one !== query)].slice(0, MOST_RECENT) };
}

/**
 * The suggestions below the query box, and their keys: arrows move, Enter or Tab accepts one, Escape closes.
 * @param {{current: HTMLInputElement | null}} input @param {(text: string) => void} setText @param {Subject} of
 */
export function useOffers(input, setText, of) {
  const [offers, setOffers] = useState(/** @type {import("./suggest.js").Suggestion[]} */ ([]));
  const [at, setAt] = useState(-1);
  const looking = useRef(new AbortController());
  /** @param {unknown} event null closes the suggestions */
  const look = async (event) => {
    looking.current.abort();
    const { signal } = (looking.current = new AbortController());
    setAt(-1);
    const box = input.current;
    const found = event && box ? await offered(box, of, signal).catch(() => []) : [];
    if (!signal.aborted) setOffers(found);
  };
  /** @param {import("./suggest.js").Suggestion} one */
  const take = (one) => {
    const box = /** @type {HTMLInputElement} */ (input.current);
    const caret = box.selectionStart ?? box.value.length;
    box.setRangeText(one.text, one.from, caret, "end"); // as if it had been typed, with the caret after it
    setText(box.value);
    void look(true);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") {
      if (offers.length) void look(null); else input.current?.blur();
    } else if (by && offers.length) setAt((at + by + offers.length + (at < 0 && by < 0 ? 1 : 0)) % offers.length);
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0 && offers[at]) take(offers[at]);
    else {
      if (event.key === "Enter") void look(null);
      return;
    }
    event.preventDefault();
  };
  return { offers, at, look, take, press };
}

/** @param {HTMLInputElement} box @param {Subject} of @param {AbortSignal} until */
async function offered(box, of, until) {
  const { suggest } = await import("./suggest.js");
  const fields = (await loadFields()).filter((one) => one.of === of);
  return suggest(box.value.slice(0, box.selectionStart ?? box.value.length), fields, of, recent.peek()[of] ?? [], until);
}
