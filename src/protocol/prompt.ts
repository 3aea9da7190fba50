/** The stored head of every request: sections and tools. */
import type { JsonObject } from './json.ts';

export interface PromptSection {
  readonly name: string;
  readonly text: string;
  /** Short hash of the text. */
  readonly hash: string;
}

/** What the model is told of a tool. `input` is JSON Schema (draft 7) without the fields the host fills in. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}
