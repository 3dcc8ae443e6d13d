/** English of the run's pages: why a step is what it is, playback, what the timeline can leave out. */
export const steps = {
  "why.moved": "Stands below",
  "why.moved.from": "its span says",
  "why.more": "{n} of {of} spans are shown",
  "why.read": "What was read",
  "why.fields": "From which attribute each field came is not stored: the rule says which it reads. The attributes as they were sent:",
  "transcript.pages": "Pages of the transcript",
  "transcript.before": "Earlier steps",
  "transcript.next": "Later steps",
  "transcript.at": "{from}–{to} of {n} steps",
  "transcript.short": "The run has more than {n} spans: each step is told by its first words. Choose one to read it whole.",
};
