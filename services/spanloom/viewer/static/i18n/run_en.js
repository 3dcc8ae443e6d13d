/** English, of what the pages of runs say beside the tree. */
export const runEn = {
  "versions": "Versions",
  "versions.newest": "newest",
  "versions.kept": "kept {at}",
  "versions.stored": "stored {at}",
  "versions.compare": "compare with version {version}",
  "versions.only": "Other versions are kept once they are annotated.",
  "versions.old": "This is version {version}, as it was kept: its steps, without framework spans.",
  "newer.changes": "What changed",
  "step.markdown": "Markdown",
  "markdown.image": "Image:",
  "words.compare": "By words",
  "words.toofar": "The texts differ too much for that.",
};
