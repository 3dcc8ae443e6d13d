/** Chinese of the page of a conversation. */
export const conversation = {
  "conversation.runs": "运行数",
  "conversation.busy": "运行耗时",
  "conversation.busy.means": "各个运行自身时长之和，不含间隔时间",
  "conversation.uncosted": "{n} 个运行的价格未知",
  "conversation.waiting": "{n} 个 span，正在获取",
  "conversation.back": "返回来处",
  "key.run.open": "打开该运行的页面",
  "key.run.before": "上一个运行",
  "key.run.next": "下一个运行",
  "conversation.open": "打开该运行",
};
