/** What stands out in a run, in a line of its head: the failure with its words. */
import { useEffect, useState } from "../vendor/hooks.js";
import { getJson } from "../api.js";
import { t } from "../i18n/index.js";
import { change, place, when } from "../state/place.js";
import { cause, isFault, isPassed } from "../tree/outline.js";
import { html, line, visible } from "../ui/html.js";
import { grid, runPath, view } from "./state.js";

/** Go to a row of the tree; switches back from other views. @param {number} i */
function goTo(i) {
  if (!grid.peek()) change({ view: null }, true);
  void when(grid, Boolean).then((there) => there?.select(i, true));
}

export function Notes() {
  const o = view.value?.o;
  const row = o ? cause(o) : -1;
  if (!o || row < 0) return "";
  return html`<${Failed} o=${o} row=${row} more=${begun(o) - 1} />`;
}

/** How many failures began in a step; others were passed on by it. @param {import("../tree/outline.js").Outline} o */
const begun = (o) => o.flags.reduce((sum, _, i) => sum + Number(isFault(o, i) && !isPassed(o, i)), 0);

/** The step with which the failure began, and what it says. @param {{o: import("../tree/outline.js").Outline, row: number, more: number}} props */
function Failed({ o, row, more }) {
  const [words, setWords] = useState("");
  const { project } = place.value.query;
  useEffect(() => {
    const until = new AbortController();
    const asked = { project, version: o.version, from: row, to: row + 1 };
    getJson(`${runPath()}/rows`, asked, until.signal).then(({ items }) => setWords(items[0]?.error || t("note.failed")), () => {});
    return () => until.abort();
  }, [o, row]);
  return html`<button class="plain bad" title=${visible(words)} onClick=${() => goTo(row)}>✕ <bdi>${line(o.names[o.name[row]], 60)}</bdi>${words && html`: <bdi>${line(words, 200)}</bdi>`}</button>
    ${more > 0 && html`<span class="quiet">${t("note.more", { n: more })}</span>`}`;
}
