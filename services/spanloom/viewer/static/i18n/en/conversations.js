/** English: the list of conversations. */
export const conversations = {
  "conversations.none": "No conversation in this time",
  "conversations.none.do": "Runs that name a conversation, session or thread appear here, each conversation once.",
  "conversations.user": "Only of this user",
  "conversations.last": "last run",
  "conversations.last.duration": "last duration",
  "conversations.turns": "turns",
};
