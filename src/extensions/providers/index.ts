// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const providers = {
  'anthropic': () => import('./anthropic.ts'),
  'custom': () => import('./custom.ts'),
  'gemini': () => import('./gemini.ts'),
  'offline': () => import('./offline.ts'),
  'ollama': () => import('./ollama.ts'),
  'openai': () => import('./openai.ts'),
  'openrouter': () => import('./openrouter.ts'),
} as const;
