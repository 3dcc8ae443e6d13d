/** English: charts over many runs. */
export const charts = {
  "chart.summary": "{label}; at most {most}",
  "chart.keys": "Arrow keys move, Shift selects more, Enter opens",
  "chart.table": "Table",
  "chart.from": "from",
  "chart.failed": "failed",
  "chart.others": "others",
  "list.over.time": "Runs over time",
};
