/** Chinese texts: charts over many runs. */
export const charts = {
  "chart.summary": "{label}；最高 {most}",
  "chart.keys": "方向键移动，Shift 多选，Enter 打开",
  "chart.table": "表格",
  "chart.from": "从",
  "chart.failed": "失败",
  "chart.others": "其他",
  "list.over.time": "随时间变化的运行数",
};
