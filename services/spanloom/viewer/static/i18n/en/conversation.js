/** English of the page of a conversation. */
export const conversation = {
  "conversation.runs": "runs",
  "conversation.busy": "busy",
  "conversation.busy.means": "The runs' own durations together, without the time between them",
  "conversation.uncosted": "Of {n} {n|run|runs} a price is unknown",
  "conversation.waiting": "{n} {n|span|spans}, being fetched",
  "conversation.back": "Where you came from",
  "key.run.open": "open the page of the run",
  "key.run.before": "previous run",
  "key.run.next": "next run",
  "conversation.open": "Open the run",
};
