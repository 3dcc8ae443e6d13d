/** Chinese texts: the navigation of the pages of evaluation, and what they share. */
export const evaluation = {
  "evaluation.datasets": "数据集",
  "evaluation.compare": "比较",
  "evaluation.experiments": "实验",
  "compare.ask": "比较",
  "compare.difference": "B 减 A",
  "written.source": "已发送的内容",
  "written.at": "第 {line} 行",
  "written.add": "添加：",
  "written.stored": "已存储的评估器",
  "evaluation.online-rules": "在线规则",
  "evaluation.alerts": "警报",
  "put.name": "名称",
  "put.name.rule": "最多 100 个字符，不含 /",
  "put.there": "已有同名的。",
  "put.examples": "示例：",
  "put.store": "保存",
};
