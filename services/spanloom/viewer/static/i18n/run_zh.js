/** Chinese, of what the pages of runs say beside the tree. */
export const runZh = {
  "versions": "版本",
  "versions.newest": "最新",
  "versions.kept": "保留于 {at}",
  "versions.stored": "存储于 {at}",
  "versions.compare": "与版本 {version} 比较",
  "versions.only": "其他版本在被标注后才会保留。",
  "versions.old": "这是保留下来的版本 {version}：只有步骤，没有框架 span。",
  "newer.changes": "有何变化",
  "step.markdown": "Markdown",
  "markdown.image": "图片：",
  "words.compare": "按词比较",
  "words.toofar": "两段文本差异过大，无法按词比较。",
};
