/** A small reader for the TOML of manifests: sections, keys, strings and lists of strings, each with its line. */

export interface TomlValue {
  readonly section: string;
  readonly key: string;
  readonly line: number;
  /** The value as written, without quotes when it is one string. */
  readonly text: string;
  /** Strings in the value, in order. */
  readonly strings: readonly string[];
}

/** The values of a TOML text that manifests need, each with its line. */
export function readToml(lines: readonly string[]): TomlValue[] {
  const values: TomlValue[] = [];
  let section = '';
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?/.exec(line);
    if (header?.[1]) {
      section = header[1].replaceAll('"', '');
      continue;
    }
    const pair = /^\s*("[^"]+"|'[^']+'|[\w.-]+)\s*=\s*(.*)$/.exec(line);
    if (!pair?.[1]) continue;
    const at = index;
    let text = withoutComment(pair[2] ?? '');
    while (opensMore(text) && index + 1 < lines.length && index - at < 400)
      text += `\n${withoutComment(lines[++index] ?? '')}`;
    const strings = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)].map((match) => match[1] ?? match[2] ?? '');
    const plain = /^\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*$/.exec(text);
    values.push({
      section,
      key: pair[1].replace(/["']/g, ''),
      line: at + 1,
      text: plain?.[1] ?? plain?.[2] ?? text.trim(),
      strings,
    });
  }
  return values;
}

/** Whether a list or table that the text opens is still open. */
function opensMore(text: string): boolean {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '');
  return count(bare, /[[{]/g) > count(bare, /[\]}]/g);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function withoutComment(text: string): string {
  return text.replace(/^((?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*)#.*$/, '$1');
}
