// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const commands = {
  'clear': () => import('./clear.ts'),
  'compact': () => import('./compact.ts'),
  'cost': () => import('./cost.ts'),
  'help': () => import('./help.ts'),
  'model': () => import('./model.ts'),
  'quit': () => import('./quit.ts'),
  'sessions': () => import('./sessions.ts'),
} as const;
