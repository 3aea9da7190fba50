/** Which language to speak. */

interface Locale {
  get(name: string): string | undefined;
}

/**
 * The wanted language (from a flag or the configuration), else the one of `LC_ALL`, `LC_MESSAGES` or `LANG`, else
 * English. `zh` means `zh-TW` in a locale of TW, HK or MO, else `zh-CN`.
 */
export function resolveLanguage(wanted: string | undefined, languages: readonly string[], locale: Locale): string {
  const set = locale.get('LC_ALL') ?? locale.get('LC_MESSAGES') ?? locale.get('LANG') ?? '';
  const tag = set.split(/[.@]/)[0]!.replaceAll('_', '-');
  if (wanted !== undefined && wanted !== 'zh') return wanted;
  if (wanted === 'zh' || /^zh\b/i.test(tag)) return /^zh-(TW|HK|MO|Hant)\b/i.test(tag) ? 'zh-TW' : 'zh-CN';
  const names = [tag, tag.split('-')[0]!].map((name) => name.toLowerCase());
  return languages.find((language) => names.includes(language.toLowerCase())) ?? 'en';
}
