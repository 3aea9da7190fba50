/**
 * Ids of tool calls. Gemini gives some calls an id and others none, and an id that it did not give must not be sent to
 * it. Calls and results travel apart, so what the id is can only be read from the id itself.
 */
const given = 'gemini_';

/** The call's id in our history: the API's own, recognisable, or one made of the response and the call's place in it. */
export function toCallId(id: string | undefined, response: string, place: number): string {
  if (id !== undefined && /^[A-Za-z0-9_-]{1,56}$/.test(id)) return given + id;
  return `call_${response.replace(/[^A-Za-z0-9_-]/g, '').slice(0, 48)}_${place}`;
}

/** The id that the API knows the call by; undefined when it gave none. */
export function fromCallId(callId: string): string | undefined {
  return callId.startsWith(given) ? callId.slice(given.length) : undefined;
}
