/** Why a conversation cannot be made shorter: the `reason` of E_COMPACTION. */
export const compaction = {
  nothingToDrop: 'the prompt, the task and the newest messages take the room, and they stay',
  noHelp: 'three summaries in a row did not help',
  noSummary: 'the model gave no summary',
  stillTooLong: 'the request is too long for the model even after a summary',
  runOpen: 'a run is open',
  nobody: 'no middleware does it',
};
