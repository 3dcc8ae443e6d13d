/** Steps on which annotators differ: counts them, filters the tree to them, and goes from one to the next. */
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

/** If others judged more steps than this, the count is not updated with every own mark. */
const MANY = 5000;

/** Whether people, including this annotator, judge the current step differently. @param {Session} of @param {string} at */
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

/** Go to the next step on which people differ; after the last, to the first. */
export function toDisputed() {
  const of = session.peek();
  if (!of) return;
  const rows = disputed(of);
  go(rows.find((i) => i > here()) ?? rows[0] ?? -1);
  toTree();
}

/** The steps are chosen when the filter is switched on and when others' marks arrive, so none disappears while judging. @param {{of: Session}} props */
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
