/** In which language a question is asked. */

export type Language = 'en' | 'zh-CN' | 'zh-TW';

/** Words that only an English sentence has; names in it may be in any script. */
const english =
  /(?:^|[^\w`./-])(?:what|which|where|when|who|why|how|is|are|was|does|do|did|the|this|that|these|of|for|from|into|and|list|show|find|explain|describe|tell|please)(?![\w`./-])/i;

/** Words that only a Chinese sentence has. */
const chinese =
  /[的了吗嗎呢是在把将將请請]|什么|什麼|哪[里裡个個些]|怎[么麼样樣]|如何|为何|為何|分析|列出|找出|告诉|告訴|解释|解釋|说明|說明|修[复復正改]/;

/**
 * The language of a text by its script: Chinese where it has Chinese characters, unless its sentence is English around a
 * Chinese name. Traditional or Simplified is told by the characters that only one of them has; where these decide nothing,
 * by `preferred`, the language of the person, and `zh-CN` where that is no Chinese.
 */
export function languageOf(text: string, preferred?: string): Language {
  if (!/\p{Script=Han}/u.test(text) || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'en';
  if (english.test(text) && !chinese.test(text)) return 'en';
  const { simplified, traditional } = characters();
  let balance = 0;
  for (const character of text) balance += Number(traditional.has(character)) - Number(simplified.has(character));
  if (balance !== 0) return balance > 0 ? 'zh-TW' : 'zh-CN';
  return preferred === 'zh-TW' ? 'zh-TW' : 'zh-CN';
}

interface Characters {
  readonly simplified: ReadonlySet<string>;
  readonly traditional: ReadonlySet<string>;
}

let known: Characters | undefined;

/** What stands in the older national character set of one side alone: GB 2312 is Simplified, Big5 is Traditional. */
function characters(): Characters {
  if (known) return known;
  const gb = decode('gbk', [0xb0, 0xf7], [0xa1, 0xfe]);
  const big5 = decode('big5', [0xa4, 0xf9], [0x40, 0xfe]);
  known = { simplified: gb.difference(big5), traditional: big5.difference(gb) };
  return known;
}

/** The characters whose two bytes lie in these ranges. */
function decode(encoding: string, first: readonly [number, number], second: readonly [number, number]): Set<string> {
  const bytes: number[] = [];
  for (let lead = first[0]; lead <= first[1]; lead++) {
    for (let trail = second[0]; trail <= second[1]; trail++) if (trail < 0x7f || trail > 0xa0) bytes.push(lead, trail);
  }
  return new Set(new TextDecoder(encoding).decode(new Uint8Array(bytes)).match(/\p{Script=Han}/gu));
}
