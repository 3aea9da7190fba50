/** What a model wrote as the arguments of a tool call. */
import type { Json, JsonObject } from '../../protocol/json.ts';

/**
 * Reads arguments once they are complete. Nothing means no arguments; what is no JSON object becomes `{}` with the
 * text in `invalid`.
 */
export function parseToolInput(text: string): { input: JsonObject; invalid?: string } {
  if (text.trim() === '') return { input: {} };
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { input: value as JsonObject };
  } catch {
    // Told to the model with the text it sent.
  }
  return { input: {}, invalid: text };
}
