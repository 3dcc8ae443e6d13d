/** English: the navigation of the pages of evaluation, and what they share. */
export const evaluation = {
  "evaluation.datasets": "Datasets",
  "evaluation.compare": "Compare",
};
