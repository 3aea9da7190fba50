/** Texts for people in their language. A language is loaded before its first use; the library loads all. */
import { type ErrorData, ReinError } from '../../protocol/errors.ts';
import type { Dictionary, MessageKey, Params } from './dictionary.ts';
import { locales } from './locales/index.ts';

export type Language = keyof typeof locales;

/** The languages there are. */
export const languages = Object.keys(locales) as readonly Language[];

const loaded = new Map<Language, Dictionary>();

/** Loads a language, so that `t` can use it. */
export async function loadLanguage(language: Language): Promise<void> {
  if (!loaded.has(language)) loaded.set(language, (await locales[language]()).default);
}

/** Hands over dictionaries that are loaded already. */
export function provideLanguages(dictionaries: Readonly<Record<Language, Dictionary>>): void {
  for (const language of languages) loaded.set(language, dictionaries[language]);
}

/** True for the name of a language Rein speaks. */
export function isLanguage(value: unknown): value is Language {
  return languages.includes(value as Language);
}

/**
 * The text for `key` in a language that was loaded (`zh` means `zh-CN`).
 * In texts `{name}` is a parameter, `{name:#}` a number with the language's separators, and `{name:turn|turns}` a word
 * for one and for many. What stands in `[...]` is left out without its parameter; elsewhere a missing one shows as `?`.
 * A parameter `{text: key, ...}` is a text of the dictionary itself.
 */
export function t(key: MessageKey, language: Language | 'zh', params: Params = {}): string {
  const name = language === 'zh' ? 'zh-CN' : language;
  const text = find(key, name);
  if (text === undefined) throw new Error(`No text for ${key} in ${name}; loadLanguage('${name}') comes first`);
  return format(text, name, params);
}

/** Like `t` where the text may be a key or the text itself, as in descriptions of a user's own commands. */
export function label(keyOrText: string, language: Language, params: Params = {}): string {
  const text = find(keyOrText, language);
  return text === undefined ? keyOrText : format(text, language, params);
}

export interface RenderedError {
  readonly message: string;
  readonly hint: string;
}

/** What a person reads of an error. Never throws; an unknown kind of error is shown as an internal one. */
export function renderError(error: unknown, language: Language): RenderedError {
  const { code, params, message } = isErrorData(error) ? error : ReinError.from(error).toData();
  if (find(`errors.${code}.message`, language) === undefined) return { message, hint: '' };
  return {
    message: label(`errors.${code}.message`, language, params),
    hint: label(`errors.${code}.hint`, language, params),
  };
}

function isErrorData(value: unknown): value is ErrorData {
  return (
    typeof value === 'object' && value !== null && !(value instanceof Error) && 'code' in value && 'params' in value
  );
}

function find(key: string, language: Language): string | undefined {
  let node: unknown = loaded.get(language);
  for (const step of key.split('.')) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, step)) return undefined;
    node = (node as Record<string, unknown>)[step];
  }
  return typeof node === 'string' ? node : undefined;
}

function format(text: string, language: Language, params: Params): string {
  const whole = text.replace(/\[([^[\]]*\{(\w+)[^[\]]*)\]/g, (_, inner: string, name: string) => {
    return params[name] === undefined ? '' : inner;
  });
  return whole.replace(/\{(\w+)(?::([^{}]*))?\}/g, (_, name: string, style: string | undefined) => {
    const value = params[name];
    if (value === undefined || value === null) return '?';
    if (style === '#') return new Intl.NumberFormat(language).format(Number(value));
    if (style !== undefined) return style.split('|')[value === 1 ? 0 : 1] ?? '';
    if (Array.isArray(value)) return value.join(', ');
    if (typeof value !== 'object') return String(value);
    const { text: key } = value as { text?: unknown };
    return typeof key === 'string' ? label(key, language, value as Params) : JSON.stringify(value);
  });
}
