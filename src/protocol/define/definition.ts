/** What all definitions share: fields that are checked where they are written, and a brand to know them by. */

type Shape = 'string' | 'text' | 'word' | 'function' | 'record';

/** What a field must be: a shape (with `?` it may be absent), or one of a list, which may hold `undefined`. */
export type FieldRule = Shape | `${Shape}?` | readonly (string | undefined)[];

const isString = (value: unknown): value is string => typeof value === 'string';
const shapes: Readonly<Record<Shape, (value: unknown) => boolean>> = {
  string: isString,
  text: (value) => isString(value) && /\S/.test(value),
  word: (value) => isString(value) && /^\S+$/.test(value),
  function: (value) => typeof value === 'function',
  record: (value) => typeof value === 'object' && value !== null,
};

/**
 * Throws a TypeError that names kind, definition and field when a field is not what it must be: files of users are not
 * compiled, and a guard with a misspelt event would stand there and never be asked.
 */
export function checkFields(kind: string, definition: object, rules: Readonly<Record<string, FieldRule>>): void {
  const fields = definition as Readonly<Record<string, unknown>>;
  for (const [field, rule] of Object.entries(rules)) {
    const value = fields[field];
    const wanted = expected(value, rule);
    if (wanted) throw new TypeError(`${kind} ${show(fields.name)}: "${field}" must be ${wanted}, not ${show(value)}`);
  }
}

/** Whether a value carries a brand: definitions may come from another copy of the package. */
export function hasBrand(value: unknown, brand: symbol): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

/** What the field should be; undefined when it is that. */
function expected(value: unknown, rule: FieldRule): string | undefined {
  if (typeof rule !== 'string') {
    return rule.includes(value as string) ? undefined : `one of ${rule.filter(Boolean).join(', ')}`;
  }
  if (value === undefined && rule.endsWith('?')) return undefined;
  const shape = rule.replace('?', '') as Shape;
  return shapes[shape](value) ? undefined : `a ${shape}`;
}

function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return value === null ? 'null' : typeof value;
}
