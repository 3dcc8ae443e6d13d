/** English of the export of runs. */
export const exporting = {
  "export.title": "Export",
  "export.format": "Format",
  "export.runs": "{n} {n|run|runs}, fetched one after the other",
  "export.most": "The first {n} runs of this order, fetched one after the other; `spanloom export --where` has no limit",
  "export.reading": "Reading {at} of {n}…",
  "export.reading.some": "Reading {at}…",
  "export.written": "{n} {n|run|runs} in the file.",
  "export.lossless": "No loss was counted.",
  "export.loses": "What the format does not hold, or had to make up:",
  "export.times": "{n} ×",
  "export.skipped": "{n} {n|is|are} left out",
  "export.ended": "Nothing was saved.",
  "export.stop": "Stop",
  "export.newest": "Only of the newest version.",
  "export.one": "Only of one run.",
  "export.shell": "Of many runs by {command}.",
};
