/** Chinese texts: steps of many runs. */
export const steps = {
  "steps.count": "{n} 个步骤",
  "steps.of": "运行：{where}",
  "steps.export": "导出所属运行…",
  "steps.none": "没有符合的步骤",
  "steps.wrong": "无法理解这个问题",
  "steps.ask": "可以这样询问步骤：",
  "column.type": "类型",
  "column.agent": "智能体",
  "column.model": "模型",
  "column.first": "首个 token",
};
