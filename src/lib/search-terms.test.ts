import { describe, expect, it } from 'vitest';
import { toSearchPhrases, toSearchTerms } from './search-terms.ts';

describe('toSearchTerms', () => {
  const cases: [string, string[]][] = [
    ['', []],
    ['  ... !?', []],
    ['Fix the Login-Bug', ['fix', 'the', 'login', 'bug']],
    ['read_file("src/a.ts")', ['read', 'file', 'src', 'a', 'ts']],
    ['Ärger mit ŁÓDŹ', ['ärger', 'mit', 'łódź']],
    ['人', ['人']],
    ['人工', ['人工', '工']],
    ['修复登录', ['修复', '复登', '登录', '录']],
    ['用React写组件v2', ['用', 'react', '写组', '组件', '件', 'v2']],
    ['ログイン', ['ログ', 'グイ', 'イン', 'ン']],
    ['로그인', ['로그', '그인', '인']],
    ['𠮷野家', ['𠮷野', '野家', '家']],
    ['ｆｕｌｌ', ['full']],
    ['Привет мир', ['привет', 'мир']],
  ];
  for (const [text, terms] of cases) {
    it(`splits ${JSON.stringify(text)}`, () => expect(toSearchTerms(text)).toEqual(terms));
  }
});

describe('toSearchPhrases', () => {
  it('makes one phrase of each word or run', () => {
    expect(toSearchPhrases('Bug 修复登录')).toEqual([
      { terms: ['bug'], prefix: false },
      { terms: ['修复', '复登', '登录'], prefix: false },
    ]);
  });

  it('looks for one character as the beginning of a pair', () => {
    expect(toSearchPhrases('我')).toEqual([{ terms: ['我'], prefix: true }]);
  });

  it('finds no words in operators', () => {
    expect(toSearchPhrases('" * ( ) : ^')).toEqual([]);
  });
});
