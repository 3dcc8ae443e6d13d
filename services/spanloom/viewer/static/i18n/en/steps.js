/** English: steps of many runs. */
export const steps = {
  "steps.count": "{n} {n|step|steps}",
  "steps.of": "runs: {where}",
  "steps.export": "Export their runs…",
  "steps.none": "No step matches",
  "steps.wrong": "The query cannot be read",
  "steps.ask": "Queries for steps, for example:",
  "column.type": "type",
  "column.agent": "agent",
  "column.model": "model",
  "column.first": "first token",
};
