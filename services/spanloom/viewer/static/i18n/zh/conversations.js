/** Chinese texts: the list of conversations. */
export const conversations = {
  "conversations.none": "此时段内没有会话",
  "conversations.none.do": "带有会话、session 或 thread 标识的运行出现在这里，每个会话一行。",
  "conversations.user": "只看此用户",
  "conversations.last": "最近运行",
  "conversations.last.duration": "最近耗时",
  "conversations.turns": "轮数",
};
