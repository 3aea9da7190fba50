/**
 * Front matter of Markdown files. What people write there is often no YAML (`description: Use when sorting: lists`), so
 * lines that are plain are read as they stand, YAML is asked about the others, and where it fails they are read anyway.
 */

export interface FrontMatter {
  /** Values by key; text where it is text, else what YAML makes of it. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** Line of each key, from 1. */
  readonly lines: ReadonlyMap<string, number>;
  /** The text behind it. */
  readonly body: string;
  /** Where what stands there is no YAML and was read line by line. */
  readonly lenient?: { readonly line: number; readonly detail: string };
}

const opening = /^\ufeff?---[ \t]*\r?\n/;
const closing = /^(?:---|\.\.\.)[ \t]*$/m;
const keyLine = /^([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*?))?[ \t]*$/;
/** Values that YAML reads otherwise than they stand there. */
const special = /^["'[\]{}>|&*!%@`#,?-]|[ \t]#/;

/** Undefined when the text has none; `unclosed` when its end is missing. */
export async function readFrontMatter(text: string): Promise<FrontMatter | 'unclosed' | undefined> {
  const open = opening.exec(text);
  if (!open) return undefined;
  const rest = text.slice(open[0].length);
  const close = closing.exec(rest);
  if (!close) return 'unclosed';
  const head = rest.slice(0, close.index).replaceAll('\r\n', '\n');
  const body = rest.slice(close.index + close[0].length).replace(/^\r?\n/, '');
  const rows = head.split('\n');
  const lines = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const key = keyLine.exec(row)?.[1];
    if (key !== undefined && !lines.has(key)) lines.set(key, index + 2);
  }
  return { ...(readPlain(rows) ?? (await readYaml(head, rows))), lines, body };
}

type Fields = Pick<FrontMatter, 'fields' | 'lenient'>;

/** Without YAML, where every line is a key with a plain value: most files, and YAML costs a hundred times as much. */
function readPlain(rows: readonly string[]): Fields | undefined {
  const fields = new Map<string, unknown>();
  for (const row of rows) {
    if (row.trim() === '' || row.startsWith('#')) continue;
    const [, key, value = ''] = keyLine.exec(row) ?? [];
    if (key === undefined || value === '' || special.test(value) || fields.has(key)) return undefined;
    fields.set(key, value);
  }
  return { fields };
}

async function readYaml(head: string, rows: readonly string[]): Promise<Fields> {
  const { parseDocument } = await import('./yaml.ts');
  const document = parseDocument(head, { schema: 'failsafe', logLevel: 'silent' });
  const [error] = document.errors;
  if (!error) {
    try {
      const value: unknown = document.toJS();
      if (typeof value === 'object' && value !== null) return { fields: new Map(Object.entries(value)) };
    } catch (failure) {
      return { fields: readLenient(rows), lenient: { line: 2, detail: (failure as Error).message } };
    }
  }
  const line = (error?.linePos?.[0].line ?? 1) + 1;
  const detail = error?.message.split('\n', 1)[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? 'no keys';
  return { fields: readLenient(rows), lenient: { line, detail } };
}

/** Each key with the text behind it; lines that are indented belong to the key above. */
function readLenient(rows: readonly string[]): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  let current: { key: string; parts: string[] } | undefined;
  const close = () => {
    if (current) fields.set(current.key, unquote(join(current.parts)));
  };
  for (const row of rows) {
    const [, key, value = ''] = keyLine.exec(row) ?? [];
    if (key !== undefined) {
      close();
      current = { key, parts: [value] };
    } else current?.parts.push(row.trim());
  }
  close();
  return fields;
}

function join([first = '', ...more]: readonly string[]): string {
  const [, style] = /^([>|])[-+]?$/.exec(first) ?? [];
  const parts = style === undefined ? [first, ...more] : more;
  return parts
    .filter((part) => part !== '')
    .join(style === '|' ? '\n' : ' ')
    .trim();
}

function unquote(text: string): string {
  const [, inner] = /^(?:"([^"]*)"|'[^']*')$/.exec(text) ?? [];
  return inner ?? (/^'[^']*'$/.test(text) ? text.slice(1, -1) : text);
}
