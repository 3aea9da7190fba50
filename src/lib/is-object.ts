/** Whether a value is an object with named fields: no list and not null. Of JSON, whether it is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
