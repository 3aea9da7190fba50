// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const tools = [] as const;

export type ToolName = never;
