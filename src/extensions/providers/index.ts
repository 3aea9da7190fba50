// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const providers = {} as const;
