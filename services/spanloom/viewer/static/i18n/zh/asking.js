/** Chinese texts: a list without rows, and menus for queries. */
export const asking = {
  "filter.field": "字段",
  "filter.key": "名称",
  "filter.operator": "比较",
  "filter.value": "值",
  "filter.use": "添加",
  "empty.wrong": "问题有误",
  "empty.wrong.do": "上方指出了位置。可以这样问：",
  "empty.match": "没有符合条件的运行",
  "empty.match.do": "移除一个条件：",
  "empty.named": "词语在说过的内容中查找。作为名称：",
  "empty.without": "不含",
  "range.use": "应用",
  "range.from": "从",
  "range.to": "到",
  "range.zone": "按此浏览器的时区：{zone}。",
  "range.turn": "交换两端",
};
