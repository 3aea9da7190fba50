/** What is wrong with a configuration file: the `detail` of E_CONFIG_INVALID. */
export const config = {
  unknownKey: 'there is no such key',
  unknownKeyMeant: 'there is no such key; did you mean "{meant}"?',
  wrongType: 'must be of type {expected}',
  notOneOf: '"{value}" is none of {allowed}',
  noRule: '"{value}" is no rule; write `tool` or `tool(pattern)`',
  noUrl: '"{value}" is no address that begins with http:// or https://',
  noPattern: '"{value}" is no valid pattern',
  wrongValue: '{value} is not a possible value',
  unknownTool: 'there is no tool "{value}"; did you mean "{meant}"?',
  providerParts: 'a provider of your own needs `wire` and `baseUrl`; set both at once, as a JSON object',
  noCheck: 'a check has exactly one of `command`, `file_exists` and `file_matches`',
  untrusted: 'this folder is not trusted. `rein trust` shows what is in it, and asks.',
  ofProject: 'a project may not set that, or only more strictly.',
  trustDamaged: 'the file is damaged, or others may write it',
};
