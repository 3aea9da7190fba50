/** Which skill a request calls for, by the words they share. */
import { toSearchPhrases, toSearchTerms } from '../../lib/search-terms.ts';
import type { Skill, SkillProblem } from './skill.ts';

/** Words that say nothing about what a text is about. */
const empty = new Set(
  (
    'a about after all an and any are as at be but by can could do does for from get had has have help how i if in into is it its just let ' +
    'like make me my need new no not now of on one or our out please should so some than that the their them then there these they this those ' +
    'to up us use used user using was we what when where which who why will with would you your ' +
    '帮我 請幫 幫我 请帮 一个 一個 一下 这个 這個 那个 那個 我们 我們 你们 什么 什麼 怎么 怎麼 如何 可以 需要 使用 以及 或者 时候 時候 的时 的時'
  ).split(' '),
);

/** The words of a text that count, each once. A single Chinese character is no word. */
function wordsOf(text: string): Set<string> {
  const terms = toSearchPhrases(text).flatMap(({ terms, prefix }) => (prefix ? [] : terms));
  return new Set(terms.filter((term) => !empty.has(term) && [...term].length > 1));
}

function termsOf(text: string): Set<string> {
  const terms = toSearchTerms(text);
  return new Set(terms.filter((term) => !empty.has(term) && [...term].length > 1));
}

const kept = new WeakMap<Skill, Set<string>>();

function wordsFor(skill: Skill): Set<string> {
  const { name, description, trigger } = skill;
  const words = kept.get(skill) ?? termsOf(`${name} ${description} ${trigger}`);
  kept.set(skill, words);
  return words;
}

/**
 * The one skill that shares the most words with a request; undefined when none shares any. Of equals the one counts
 * whose words are fewer, so that the special goes before the general; then the first by name.
 */
export function bestSkill(skills: readonly Skill[], request: string): Skill | undefined {
  const asked = wordsOf(request);
  let best: { skill: Skill; score: number; size: number } | undefined;
  for (const skill of skills) {
    const words = wordsFor(skill);
    const score = shared(asked, words);
    if (score === 0) continue;
    const isBetter =
      !best ||
      score > best.score ||
      (score === best.score && (words.size < best.size || (words.size === best.size && skill.name < best.skill.name)));
    if (isBetter) best = { skill, score, size: words.size };
  }
  return best?.skill;
}

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return common(a, b).length;
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((word) => b.has(word));
}

/** From this share of the smaller one's words on, two skills answer to the same requests. */
const rivalShare = 0.6;
const rivalWords = 3;

/** A warning for each pair of skills that share a word of their triggers, or most words of one of them. */
export function findRivals(skills: readonly Skill[]): SkillProblem[] {
  const problems: SkillProblem[] = [];
  const triggers = new Map(skills.map((skill) => [skill, termsOf(skill.trigger)]));
  for (const [index, skill] of skills.entries()) {
    for (const other of skills.slice(index + 1)) {
      const wanted = common(triggers.get(skill)!, triggers.get(other)!);
      const [words, theirs] = [wordsFor(skill), wordsFor(other)];
      const all = common(words, theirs);
      const isAlike = all.length >= rivalWords && all.length >= rivalShare * Math.min(words.size, theirs.size);
      const both = isAlike ? all : wanted;
      if (both.length === 0) continue;
      const params = { name: skill.name, other: other.name, words: both.slice(0, 8).join(', ') };
      problems.push({ file: skill.file, line: 1, fatal: false, code: 'competes', params });
    }
  }
  return problems;
}
