// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import en from './en.ts';
import zhCN from './zh-CN.ts';
import zhTW from './zh-TW.ts';

export const locales = {
  'en': en,
  'zh-CN': zhCN,
  'zh-TW': zhTW,
} as const;
