// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const providers = {
  'anthropic': () => import('./anthropic.ts'),
  'gemini': () => import('./gemini.ts'),
} as const;
