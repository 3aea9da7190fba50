/** What is wrong with an agent file: the `detail` of E_AGENT_FILE. */
export const agents = {
  tooLarge: 'it is too large',
  unclosed: 'the head does not end: a line `---` is missing',
  noKey: 'no `key: value`: {value}',
  noName: '"{value}" is no name: letters, digits, "-" and "_"',
  noDescription: 'it has no `description`',
  noPrompt: 'it has no prompt below its head',
  noNumber: 'maxTurns: "{value}" is no whole number from 1 up',
};
