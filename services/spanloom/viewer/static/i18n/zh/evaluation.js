/** Chinese: the navigation of the pages of evaluation, and what they share. */
export const evaluation = {
  "evaluation.datasets": "数据集",
  "evaluation.compare": "比较",
};
