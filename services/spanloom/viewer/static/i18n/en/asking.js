/** English: a list without rows, and menus for queries. */
export const asking = {
  "filter.field": "Field",
  "filter.key": "Which one",
  "filter.operator": "Comparison",
  "filter.value": "Value",
  "filter.use": "Add",
  "empty.wrong": "That query has a fault",
  "empty.wrong.do": "The place is shown above. Queries that work:",
  "empty.match": "No run is like that",
  "empty.match.do": "Take a filter out:",
  "empty.named": "Words are searched in texts of steps. As a name:",
  "empty.without": "without",
  "range.use": "Show",
  "range.from": "From",
  "range.to": "To",
  "range.zone": "In the time zone of this browser, {zone}.",
  "range.turn": "Swap both",
};
