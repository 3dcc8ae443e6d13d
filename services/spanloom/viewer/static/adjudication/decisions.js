/** Annotations of the steps of a run, in the run's order; and how a decision is stored. */
import { newId } from "../annotate/keep.js";
import { sendJson } from "../api.js";
import { annotator } from "../state/reader.js";
import { rowOf } from "../tree/outline.js";

/**
 * @typedef {import("../records.js").AnnotationItem} Said
 * @typedef {{step: string, at: number, said: Map<string, Said>, decided: Said | null, quote: string}} Row `at`: its row in the outline, -1: gone or the whole run
 */

const FIELDS = /** @type {const} */ (["correctness", "error_type", "error_subtype", "severity", "rationale"]);
/** An adjudicator who also annotates has a name of their own for decisions: neither overwrites the other. */
const SUFFIX = " (adjudication)";

/** Under which name decisions are stored. */
export const decider = () => (annotator.value ? annotator.value + SUFFIX : "");

/** @param {Said[]} items @param {import("../tree/outline.js").Outline} outline @returns {Row[]} in the order of the run, the run as a whole first */
export function rowsOf(items, outline) {
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const said of items) {
    const step = said.stands_at || said.step_id;
    const row = rows.get(step) ?? { step, at: step ? rowOf(outline, step) : -1, said: new Map(), decided: null, quote: said.quote };
    if (said.origin === "adjudication") row.decided = said;
    else row.said.set(said.annotator, said);
    rows.set(step, row);
  }
  return [...rows.values()].sort((a, b) => (a.step === "" ? -1 : b.step === "" ? 1 : a.at - b.at));
}

/** The compared fields of an annotation: all but its rationale. @param {Said} said */
const answer = ({ correctness, error_type, error_subtype, severity, value }) => JSON.stringify([correctness, error_type, error_subtype, severity, value.decisive_step, value.responsible_agent]);

/** Whether annotators differ. @param {Row} row */
export const differs = (row) => new Set([...row.said.values()].map(answer)).size > 1;

/** The fields of an annotation that a decision has. @param {Partial<Said>} said */
export function editOf(said) {
  const texts = Object.fromEntries(FIELDS.map((name) => [name, said[name] ?? ""]));
  return { ...texts, ...(said.value && Object.keys(said.value).length ? { value: said.value } : {}) };
}

/** Store a decision. @param {string} trace @param {string | undefined} project @param {string} scheme @param {string} step @param {object} edit */
export function decide(trace, project, scheme, step, edit) {
  const item = { write_id: newId(), step_id: step, ...edit };
  return sendJson("POST", `/v1/trajectories/${trace}/annotations`, { scheme, origin: "adjudication", items: [item] }, { project }, decider());
}
