/** Schemes to begin with. */
const ERRORS = `error_types:
  - name: reasoning
    subtypes: [logical_error, factual_error]
  - execution
severities:
  - {name: minor, weight: -1}
  - {name: major, weight: -5}
`;

/** Texts, by kind of scheme. */
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
