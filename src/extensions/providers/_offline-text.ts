/** The offline model's words in the language of the question. */
import { english, type OfflineText } from './_offline-text-en.ts';
import type { Language } from './_offline-view.ts';

const texts: Record<Language, OfflineText> = { en: english, 'zh-CN': english, 'zh-TW': english };

export function textFor(language: Language): OfflineText {
  return texts[language];
}
