/** Steps on which annotators differ: counted, kept alone in the tree, and gone to one after the other. */
import { useEffect, useMemo } from "../vendor/hooks.js";
import { t } from "../i18n/index.js";
import { only } from "../run/state.js";
import { change, place } from "../state/place.js";
import { html } from "../ui/html.js";
import { session } from "./current.js";
import { isStepwise } from "./scheme.js";
import { isMachine } from "./tree_marks.js";
import { go, here, toTree } from "./walk.js";

/** @typedef {import("./session.js").Session} Session */

/** Of more steps that others judged it is not counted again with every mark of one's own. */
const MANY = 5000;

/** Whether people, oneself included, judge a step as it is now differently. @param {Session} of @param {string} at */
export function isDisputed(of, at) {
  const rows = (of.others.get(at) ?? []).filter((row) => !isMachine(row.origin) && row.state !== "changed" && row.correctness);
  const own = of.own.get(at);
  const said = new Set(rows.map((row) => row.correctness));
  if (own?.mark.correctness && own.state !== "changed") said.add(own.mark.correctness);
  return said.size > 1;
}

/** The rows of the outline on which people differ. @param {Session} of */
export function disputed(of) {
  const rows = [];
  for (const at of of.others.keys()) {
    const i = at ? of.steps.row(at) : -1;
    if (i >= 0 && isDisputed(of, at)) rows.push(i);
  }
  return rows.sort((a, b) => a - b);
}

/** To the next step on which people differ, the first after the last. */
export function toDisputed() {
  const of = session.peek();
  if (!of) return;
  const rows = disputed(of);
  go(rows.find((i) => i > here()) ?? rows[0] ?? -1);
  toTree();
}

/** The steps to show are chosen when the filter is switched on and when others' marks arrive: none disappears while one judges. @param {{of: Session}} props */
export function Differing({ of }) {
  const isOn = place.value.query.differ === "1";
  const rows = useMemo(() => disputed(of), [of, of.others, of.others.size > MANY || of.turn.value]);
  useEffect(() => {
    only.value = isOn && of.isLoaded ? Uint8Array.from({ length: of.view.o.n }) : null;
    for (const i of rows) if (only.value) only.value[i] = 1;
    return () => { only.value = null; };
  }, [isOn, of, of.others]);
  if (!isStepwise(of.scheme) || (!rows.length && !isOn)) return "";
  return html`<p class="across"><button aria-pressed=${String(isOn)} title=${t("differ.means")} onClick=${() => change({ differ: isOn ? null : "1" })}>${t("differ", { n: rows.length })}</button>
    <button disabled=${!rows.length} onClick=${toDisputed}>${t("differ.next")} <kbd>d</kbd></button></p>`;
}
