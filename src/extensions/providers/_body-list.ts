/** A request's body as text around its list of messages, whose elements are kept as bytes and put between. */

/** `{…fields, "name": [`: an object up to the first element of its last field, a list. */
export function openList(fields: object, name: string): string {
  return JSON.stringify({ ...fields, [name]: [] }).slice(0, -']}'.length);
}

/** `], …fields}`: the end of that list, and what follows it. */
export function closeList(fields: object = {}): string {
  return JSON.stringify({ list: [], ...fields }).slice('{"list":['.length);
}
