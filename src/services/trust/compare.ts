/** What changed between two texts, for a person. */

/** All lines of both; those that are gone begin with `-`, new ones with `+`, the others with a blank. */
export async function compareTexts(before: string, now: string): Promise<string> {
  const { diffLines } = await import('diff');
  const lines = diffLines(before, now).flatMap(({ value, added, removed }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `${sign} ${line}`);
  });
  return lines.join('\n');
}
