/** Chinese of the export of runs. */
export const exporting = {
  "export.title": "导出",
  "export.format": "格式",
  "export.runs": "{n} 个运行，逐个读取",
  "export.most": "按当前顺序的前 {n} 个运行，逐个读取；`spanloom export --where` 没有上限",
  "export.reading": "正在读取 {at} / {n}…",
  "export.reading.some": "正在读取 {at}…",
  "export.written": "文件中有 {n} 个运行。",
  "export.lossless": "没有记录到丢失。",
  "export.loses": "该格式未保存或不得不补造的内容：",
  "export.times": "{n} ×",
  "export.skipped": "略去 {n} 个",
  "export.ended": "没有保存任何内容。",
  "export.stop": "停止",
  "export.newest": "仅限最新版本。",
  "export.one": "仅限单个运行。",
  "export.shell": "多个运行请用 {command}。",
};
