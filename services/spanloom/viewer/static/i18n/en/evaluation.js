/** English: the navigation of the pages of evaluation, and what they share. */
export const evaluation = {
  "evaluation.datasets": "Datasets",
  "evaluation.compare": "Compare",
  "evaluation.experiments": "Experiments",
  "compare.ask": "Compare",
  "compare.difference": "B less A",
  "written.source": "What was sent",
  "written.at": "line {line}",
  "written.add": "Add:",
  "written.stored": "A stored evaluator",
  "evaluation.online-rules": "Online rules",
  "evaluation.alerts": "Alerts",
  "put.name": "Name",
  "put.name.rule": "Up to 100 characters, but no /",
  "put.there": "There is one of this name.",
  "put.examples": "Examples:",
  "put.store": "Store it",
};
