/** What can be known of a scheme's text before the service reads it: the names of its schemes; and texts to begin with. */

/**
 * The names of the schemes in a text, YAML or JSON: of each mapping that has an `annotation_type`.
 * @param {string} text
 * @returns {string[]}
 */
export function namesIn(text) {
  const whole = asJson(text);
  if (whole !== undefined) return namesOf(whole);
  /** @type {{indent: number, name: string, isScheme: boolean}[]} */
  const blocks = [];
  for (const one of text.split("\n")) {
    const [, before, dash, key, value] = /^(\s*)(- +)?(name|annotation_type)\s*:\s*(.*?)\s*$/.exec(one) ?? [];
    if (key === undefined) continue;
    const indent = before.length + (dash?.length ?? 0);
    let block = blocks.findLast((known) => known.indent === indent);
    const isNew = !block || dash || (key === "name" ? block.name : block.isScheme);
    if (isNew) blocks.push((block = { indent, name: "", isScheme: false }));
    if (block && key === "name") block.name ||= unquoted(value);
    else if (block) block.isScheme = true;
  }
  return blocks.filter((block) => block.isScheme && block.name).map((block) => block.name);
}

/** @param {string} value a YAML scalar, with a comment behind it or without */
function unquoted(value) {
  const [, double, single] = /^"((?:\\.|[^"\\])*)"|^'((?:''|[^'])*)'/.exec(value) ?? [];
  if (double !== undefined) return /** @type {string} */ (asJson(`"${double}"`) ?? double);
  return single?.replaceAll("''", "'") ?? value.replace(/\s+#.*$/, "");
}

/** @param {any} whole @returns {string[]} */
function namesOf(whole) {
  const list = Array.isArray(whole) ? whole : (whole?.annotation_schemes ?? [whole]);
  return list.flatMap((/** @type {any} */ one) => (one?.annotation_type && typeof one.name === "string" ? [one.name] : []));
}

/** @param {string} text */
function asJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ERRORS = `error_types:
  - name: reasoning
    subtypes: [logical_error, factual_error]
  - execution
severities:
  - {name: minor, weight: -1}
  - {name: major, weight: -5}
`;

/** Texts to begin with, by kind of scheme. */
export const EXAMPLES = {
  trajectory_eval: `annotation_type: trajectory_eval
name: my_steps
description: Judge each step of the run.
correctness_options: [correct, incorrect, partially_correct]
${ERRORS}max_score: 100
`,
  process_reward: "annotation_type: process_reward\nname: my_rewards\ndescription: Did this step help?\nallow_neutral: true\n",
  failure_attribution: "annotation_type: failure_attribution\nname: my_attribution\ndescription: Who failed, and at which step did it go wrong?\n",
  trajectory_edit: "annotation_type: trajectory_edit\nname: my_corrections\ndescription: Correct what the steps say.\n",
  error_span: `annotation_type: error_span
name: my_places
description: Mark the places that are wrong.
${ERRORS}`,
};
