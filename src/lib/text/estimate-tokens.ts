const cjk = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u{20000}-\u{3ffff}]/gu;

/** About how many tokens a text takes: 0.75 for each Chinese, Japanese or Korean character, a quarter for all else. */
export function estimateTokens(text: string): number {
  const wide = text.match(cjk)?.length ?? 0;
  return Math.ceil(wide * 0.75 + (text.length - wide) / 4);
}
