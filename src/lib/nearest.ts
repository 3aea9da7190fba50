/** The candidate most like a word that may be misspelt. */

/** Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`, letter case ignored. */
export function editDistance(a: string, b: string): number {
  const from = a.toLowerCase();
  const to = b.toLowerCase();
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const cost = from[i - 1] === to[j - 1] ? 0 : 1;
      let best = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}

/** The nearest candidate within a third of the word's length (at least 2 edits); the first of equals. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const short = word.slice(0, 64);
  let best: string | undefined;
  let least = Math.max(2, Math.floor(short.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(short, candidate);
    if (distance < least && distance < candidate.length) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}
