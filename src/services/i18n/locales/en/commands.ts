/** Texts of the slash commands. */
export const commands = {
  help: 'List all commands',
  model: 'Show or change the model',
  modelCurrent: 'Model: {model}',
  modelChoose: 'Choose a model; now it is {model}',
  modelChanged: 'From now on: {model}',
  sessions: 'Continue another session',
  sessionsChoose: 'Choose a session',
  sessionsNone: 'There is no other session.',
  cost: 'Show the tokens and the cost of this session',
  costText:
    'Input {input:#}, from cache {cacheRead:#}, to cache {cacheWrite:#}, output {output:#} tokens. Cost: {cost} USD',
  compact: 'Make the history of this session shorter by a summary',
  compacted: 'The history has {after:#} messages now; it had {before:#}.',
  clear: 'Start a new session',
  quit: 'Leave',
};
