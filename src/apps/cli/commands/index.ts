// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const commands = {
  'analyze': () => import('./analyze.ts'),
  'chat': () => import('./chat.ts'),
  'config': () => import('./config.ts'),
  'doctor': () => import('./doctor.ts'),
  'login': () => import('./login.ts'),
  'memory': () => import('./memory.ts'),
  'models': () => import('./models.ts'),
  'permissions': () => import('./permissions.ts'),
  'plan': () => import('./plan.ts'),
  'sessions': () => import('./sessions.ts'),
  'skills': () => import('./skills.ts'),
  'tools': () => import('./tools.ts'),
  'trust': () => import('./trust.ts'),
} as const;
