/** Chinese texts: the comparison of the behaviour of two sets of runs. */
export const behaviour = {
  "compare.about": "按行为比较两组运行：哪些工具、转移、失败和数值变了，有多确定，由哪些运行可见。",
  "compare.a": "A 组运行（之前）",
  "compare.b": "B 组运行（之后）",
  "compare.releases": "或两个发布版本：",
  "compare.running": "正在比较…运行较多时需要几秒。",
  "compare.few": "每组少于 {n} 个运行无法得出结论：请放宽条件或时间范围。",
  "compare.clusters": "{n} 个对话或单独的运行",
  "compare.differences": "{n} 处差异",
  "compare.read": "最确定的在前。区间为 95 %；p 已按所有比较校正。",
  "compare.others": "另外 {n} 个特征和数值未显示差异。",
  "compare.nothing": "{n} 个特征和数值都未显示差异。",
  "compare.only.a": "仅在 A 中",
  "compare.only.b": "仅在 B 中",
  "compare.what": "内容",
  "compare.interval": "区间图",
  "compare.runs.of": "{n} 个运行 {side}：{feature}",
};
