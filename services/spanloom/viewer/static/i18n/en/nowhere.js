/** English: the page of an unknown address. */
export const nowhere = {
  "nowhere.title": "There is no page at this address",
  "nowhere.do": "It may be cut short or mistyped. The sections above have all pages; a run is at /trajectories/ and its id.",
};
