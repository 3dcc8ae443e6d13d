/** 运行页面的中文：步骤的依据、回放、时间线可省略的部分。 */
export const steps = {
  "why.moved": "位于此步骤之下",
  "why.moved.from": "其 span 声明的父级是",
  "why.more": "显示 {of} 个 span 中的 {n} 个",
  "why.read": "读取到的内容",
  "why.fields": "未存储每个字段取自哪个属性：规则说明它读取哪些属性。以下是原样发送的属性：",
  "transcript.pages": "对话记录的页",
  "transcript.before": "更早的步骤",
  "transcript.next": "更晚的步骤",
  "transcript.at": "第 {from}–{to} 步，共 {n} 步",
  "transcript.short": "此运行超过 {n} 个 span：每个步骤只显示开头的文字。选择一个步骤可阅读全文。",
};
