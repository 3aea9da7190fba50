/** What a head needs of YAML when it is more than plain lines: a file of its own, so that nobody else loads it. */
export { parseDocument } from 'yaml';
