/** English: the comparison of the behaviour of two sets of runs. */
export const behaviour = {
  "compare.about": "Two sets of runs by what they did: which tools, transitions, failures and numbers changed, how certain that is, and which runs show it.",
  "compare.a": "Runs of A, before",
  "compare.b": "Runs of B, after",
  "compare.releases": "Or two releases:",
  "compare.running": "Comparing… With many runs this takes some seconds.",
  "compare.few": "Fewer than {n} runs of a set decide nothing: ask for more runs, or for a longer time.",
  "compare.clusters": "{n} {n|conversation or single run|conversations and single runs}",
  "compare.differences": "{n} {n|difference|differences}",
  "compare.read": "The most certain one first. Intervals are of 95 %; p is corrected for all that was compared.",
  "compare.others": "No difference was shown in {n} other features and numbers.",
  "compare.nothing": "No difference was shown in any of {n} features and numbers.",
  "compare.only.a": "Only in A",
  "compare.only.b": "Only in B",
  "compare.what": "What",
  "compare.interval": "Interval, drawn",
  "compare.runs.of": "{n} {n|run|runs} {side}: {feature}",
};
