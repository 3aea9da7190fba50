import { describe, expect, test } from 'vitest';
import { catalogue, ReinError } from '../../protocol/errors.ts';
import './all-languages.ts';
import { locales } from './locales/_all.ts';
import { isLanguage, label, languages, renderError, t } from './translate.ts';

/** Texts of a dictionary by path. */
function flatten(node: object, path = ''): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(node)) {
    if (typeof value === 'string') texts.set(path + name, value);
    else for (const [key, text] of flatten(value, `${path}${name}.`)) texts.set(key, text);
  }
  return texts;
}

const parameters = (text: string) => [...new Set([...text.matchAll(/\{(\w+)/g)].map((match) => match[1]))].sort();
const english = flatten(locales.en);

describe('the dictionaries', () => {
  test.each(languages)('%s has every text, and none is blank', (language) => {
    const texts = flatten(locales[language]);
    expect([...texts.keys()].sort()).toEqual([...english.keys()].sort());
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test.each(languages)('%s has the parameters that English has', (language) => {
    const texts = flatten(locales[language]);
    const differing = [...english].filter(([key, text]) => {
      return parameters(text).join() !== parameters(texts.get(key) ?? '').join();
    });
    expect(differing).toEqual([]);
  });

  test.each(languages)('%s has message and hint for each error of the catalogue, and for no other', (language) => {
    expect(Object.keys(locales[language].errors).sort()).toEqual(Object.keys(catalogue).sort());
  });

  test('no text is left in English, or in the other script', () => {
    const wordless = /^[\W\d_]*$/;
    for (const language of ['zh-CN', 'zh-TW'] as const) {
      const same = [...flatten(locales[language])].filter(([key, text]) => {
        return text === english.get(key) && !wordless.test(text.replace(/\{[^}]*\}|`[^`]*`/g, ''));
      });
      expect(same, language).toEqual([]);
    }
    const traditional = /[檔資設執鑰選擇應這個們說試點讀寫無]/;
    const simplified = /[档资设执钥选择应这个们说试点读写无]/;
    expect([...flatten(locales['zh-CN'])].filter(([, text]) => traditional.test(text))).toEqual([]);
    expect([...flatten(locales['zh-TW'])].filter(([, text]) => simplified.test(text))).toEqual([]);
  });

  test('zh-TW has the words of Taiwan, and each language one word for one thing', () => {
    const elsewhere: Record<'zh-CN' | 'zh-TW', RegExp> = {
      'zh-TW':
        /命令|鉤子|供應商|權杖|倉庫|查看|數額|信息|默認|配置|文件|調用|服務器|網絡|軟件|內存|程序|支持|緩存|界面|進程|線程|字符|字節|登錄|打開|質量|加載|插件|變量|函數|數組|對象|源碼|運行|智能|鏈接|擴展|子代理(?!程式)/,
      'zh-CN': /挂钩|提供商|供应商|令牌|子代理/,
    };
    for (const language of ['zh-CN', 'zh-TW'] as const) {
      const found = [...flatten(locales[language])].filter(([, text]) => elsewhere[language].test(text));
      expect(found, language).toEqual([]);
    }
  });
});

describe('t', () => {
  test('gives the text of each language; zh is zh-CN', () => {
    expect([t('you', 'en'), t('you', 'zh'), t('you', 'zh-CN'), t('you', 'zh-TW')]).toEqual(['You', '你', '你', '你']);
    expect(t('commands.help', 'zh')).toBe('列出所有可用命令');
    expect(t('commands.help', 'zh-TW')).toBe('列出所有可用指令');
  });

  test('puts in parameters, numbers with separators and the word for one or many', () => {
    const cost = { input: 1234567, cacheRead: 0, cacheWrite: 12, output: 1000, cost: '0.5' };
    expect(t('commands.costText', 'en', cost)).toBe(
      'Input 1,234,567, from cache 0, to cache 12, output 1,000 tokens. Cost: 0.5 USD',
    );
    expect(t('errors.E_MAX_TURNS.message', 'en', { limit: 1 })).toBe('The run ended after 1 turn, the limit.');
    expect(t('errors.E_MAX_TURNS.message', 'en', { limit: 50 })).toBe('The run ended after 50 turns, the limit.');
  });

  test('a value is text, whatever it looks like', () => {
    expect(t('errors.E_USAGE.message', 'en', { detail: '{status} $& $1 {x:#}' })).toBe('{status} $& $1 {x:#}');
  });

  test('a parameter that was not given shows as a question mark', () => {
    expect(t('errors.E_FOLDER_MISSING.message', 'en')).toBe('The folder ? does not exist.');
  });
});

test('label takes a key or the text itself', () => {
  expect(label('commands.quit', 'zh-TW')).toBe('離開');
  for (const text of ['My own command', '__proto__', 'errors', 'commands.', 'commands.quit.length', '']) {
    expect(label(text, 'en')).toBe(text);
  }
});

test('isLanguage knows the languages', () => {
  expect(['en', 'zh-CN', 'zh-TW', 'zh', 'EN', '', undefined].map(isLanguage)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

describe('renderError', () => {
  test('an error of the family, as thrown and as data', () => {
    const error = new ReinError('E_PROVIDER_KEY_MISSING', { provider: 'openai', variable: 'OPENAI_API_KEY' });
    const expected = {
      message: '沒有 openai 的金鑰。',
      hint: '請執行 `rein login openai`，或設定 OPENAI_API_KEY。',
    };
    expect(renderError(error, 'zh-TW')).toEqual(expected);
    expect(renderError(error.toData(), 'zh-TW')).toEqual(expected);
  });

  test('any thrown value becomes an internal error', () => {
    expect(renderError(new TypeError('x is undefined'), 'en').message).toBe(
      'Something went wrong inside rein: x is undefined',
    );
    expect(renderError('plain', 'en').message).toBe('Something went wrong inside rein: plain');
    expect(renderError(undefined, 'en').message).toBe('Something went wrong inside rein: undefined');
  });

  test('a code of a newer version shows what it carries', () => {
    const data = { code: 'E_FUTURE', params: {}, message: 'E_FUTURE (x: 1)' } as never;
    expect(renderError(data, 'en')).toEqual({ message: 'E_FUTURE (x: 1)', hint: '' });
  });
});
