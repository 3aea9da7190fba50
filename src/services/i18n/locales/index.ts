// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

export const locales = {
  'en': () => import('./en.ts'),
  'zh-CN': () => import('./zh-CN.ts'),
  'zh-TW': () => import('./zh-TW.ts'),
} as const;
