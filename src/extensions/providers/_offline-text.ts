/** The offline model's words in the language of the question. */
import type { Language } from './_offline-language.ts';
import { english, type OfflineText } from './_offline-text-en.ts';
import { simplifiedChinese } from './_offline-text-zh-cn.ts';
import { traditionalChinese } from './_offline-text-zh-tw.ts';

const texts: Record<Language, OfflineText> = { en: english, 'zh-CN': simplifiedChinese, 'zh-TW': traditionalChinese };

/** The words of a report in a language. */
export function textFor(language: Language): OfflineText {
  return texts[language];
}
