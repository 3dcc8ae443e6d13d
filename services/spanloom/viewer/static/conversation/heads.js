/** The rows of runs in the tree: number, state, name as a link, start, cost, texts. */
import { clock, duration, moment, money, short } from "../format.js";
import { t } from "../i18n/index.js";
import { pageOf, stateOf } from "../list/run.js";
import { make } from "../tree/row.js";
import { line } from "../ui/html.js";
import { runsOf } from "./forest.js";
import { lost } from "./state.js";
import { remember } from "./navigation.js";

/** @typedef {import("../tree/row.js").Row} Row */
/** @typedef {import("../list/run.js").Run} Run */

/** The elements of a row that only rows of runs have. @type {WeakMap<Row, {name: HTMLAnchorElement, facts: HTMLElement}>} */
const made = new WeakMap();

/** The functions by which a tree shows its runs. @param {import("../tree/view.js").View} view @returns {import("../tree/row.js").Heads} */
export const headsOf = (view) => ({
  fill(row, i) {
    const runs = runsOf(view.o);
    const facts = made.get(row)?.facts;
    if (facts) facts.textContent = "";
    row.fault.className = "fault-sign";
    if (runs.isHead(i)) fillHead(row, runs.part(i).run, runs.at(i) + 1);
    else if (runs.isWaiting(i)) {
      row.node.classList.replace("k-run", "k-waiting");
      row.kind.textContent = "";
      row.fault.textContent = "";
      row.preview.textContent = lost.peek().get(runs.at(i)) ?? t("conversation.waiting", { n: runs.part(i).run.span_count });
    }
  },
});

/** @param {Row} row */
function partsOf(row) {
  const known = made.get(row);
  if (known) return known;
  const name = /** @type {HTMLAnchorElement} */ (make("a", "run-name"));
  name.tabIndex = -1; // the focus stays on the tree; Enter follows the link
  name.addEventListener("click", remember);
  const facts = make("span", "facts-of");
  row.preview.after(facts);
  made.set(row, { name, facts });
  return { name, facts };
}

/** @param {Row} row @param {Run} run @param {number} number */
function fillHead(row, run, number) {
  const { name, facts } = partsOf(row);
  const { state, sign, words } = stateOf(run);
  row.node.classList.toggle("err", state === "failed");
  row.kind.textContent = `#${number}`;
  row.fault.className = `fault-sign state s-${state}`;
  row.fault.textContent = sign;
  row.fault.ariaLabel = words;
  row.fault.title = words;
  name.textContent = line(run.root_name || run.trace_id, 120);
  name.href = pageOf(run);
  row.label.replaceChildren(name);
  row.below.textContent = run.failures ? `✕ ${run.failures}` : "";
  row.below.title = run.failures ? t("tree.errors", { n: run.failures }) : "";
  const at = Number(run.started_at);
  facts.textContent = [clock(at), run.cost === null ? "" : money(run.cost)].filter(Boolean).join(" · ");
  facts.title = moment(at);
  row.preview.textContent ||= line([run.question, run.answer].filter(Boolean).join(" → "), 300);
  const tokens = run.input_tokens + run.output_tokens;
  row.sum.textContent = tokens ? short(tokens) : "–";
  row.sum.title = t("tree.tokens", { tin: run.input_tokens, tout: run.output_tokens });
  row.time.textContent = duration(Number(run.duration));
}
