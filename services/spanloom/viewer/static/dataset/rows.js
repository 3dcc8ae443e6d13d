/**
 * Rows of a dataset, made of runs or of steps: the input, and for a reference the output.
 * A run or step that cannot be a row is reported with its reason; nothing is left out silently.
 */
/** @typedef {{trace: string, project?: string, version?: string, step?: string}} Source a run, or a step of it */
/** @typedef {"input" | "reference"} Role the purpose of the rows: to be run again, or to be compared with */
/** @typedef {{source: Source, document?: any, error?: string}} Fetched */
/** @typedef {"live" | "noinput" | "nooutput" | "failed" | "nostep" | "unread"} Reason */
/**
 * @typedef {{item_key: string, set: string, input: string, expected: {response?: string, tool_calls?: {name: string, arguments: string}[], trajectory?: any},
 *   splits: string[], metadata: Record<string, unknown>, source: {trace_id: string, project: string, version: number, step_id: string | null}}} Item
 */

/**
 * Return the rows to write and the reasons of skipped ones.
 * @param {Fetched[]} fetched @param {Role} role @param {string} set
 * @returns {{items: Item[], skipped: {source: Source, name: string, reason: Reason, detail: string}[]}}
 */
export function plan(fetched, role, set) {
  /** @type {ReturnType<typeof plan>} */
  const made = { items: [], skipped: [] };
  for (const one of fetched) {
    const step = one.document && stepOf(one.document, one.source.step);
    const reason = reasonAgainst(one, step, role);
    const name = step?.name || one.source.trace;
    if (reason) made.skipped.push({ source: one.source, name, reason, detail: one.error ?? "" });
    else made.items.push(itemOf(one, step, role, set));
  }
  return made;
}

/** @param {Item[]} items */
export const jsonLines = (items) => items.map((item) => `${JSON.stringify(item)}\n`).join("");

/** @param {any} document @param {string | undefined} id */
function stepOf(document, id) {
  if (!id || id === document.root_step.id) return document.root_step;
  for (const agent of document.agent_steps) {
    const found = agent.id === id ? agent : agent.steps.find((/** @type {any} */ step) => step.id === id);
    if (found) return found;
  }
  return undefined;
}

/** @param {Fetched} one @param {any} step @param {Role} role @returns {Reason | null} */
function reasonAgainst({ document, error }, step, role) {
  if (error || !document) return "unread";
  if (!step) return "nostep";
  if (document.extraction.status === "live") return "live";
  if (!step.input) return "noinput";
  if (role === "input") return null;
  if (step.basic_info.error) return "failed";
  return step.output ? null : "nooutput";
}

/** @param {Fetched} one @param {any} step @param {Role} role @param {string} set @returns {Item} */
function itemOf({ source, document }, step, role, set) {
  const { extraction, id } = document;
  const isWhole = step === document.root_step;
  return {
    item_key: isWhole ? id : `${id}/${step.id}`,
    set,
    input: step.input,
    expected: role === "input" ? {} : { response: step.output, ...(isWhole ? { tool_calls: toolCalls(document), trajectory: document } : {}) },
    splits: [],
    metadata: { name: step.name, type: isWhole ? extraction.root_type : (step.type ?? "agent") },
    source: { trace_id: id, project: extraction.project ?? source.project ?? "default", version: extraction.version, step_id: isWhole ? null : step.id },
  };
}

/** The tools that ran, in the order in which they began. @param {any} document */
function toolCalls(document) {
  const tools = document.agent_steps.flatMap((/** @type {any} */ agent) => agent.steps.filter((/** @type {any} */ step) => step.type === "tool"));
  tools.sort((/** @type {any} */ a, /** @type {any} */ b) => Number(a.basic_info.started_at) - Number(b.basic_info.started_at));
  return tools.map((/** @type {any} */ step) => ({ name: step.name, arguments: step.input }));
}
