/** Answers a question by searching for its words and citing the best places. */
import { type Match, parseMatches, parsePaths, parseRead } from './_offline-parse.ts';
import { type Place, rank } from './_offline-rank.ts';
import { cite, code } from './_offline-render.ts';
import { failedNote } from './_offline-report.ts';
import { glob, read } from './_offline-survey.ts';
import { type Terms, toTerms } from './_offline-terms.ts';
import { textFor } from './_offline-text.ts';
import type { Call, Outcome, Step, View } from './_offline-view.ts';

const mostPlaces = 5;
/** Lines shown of a definition, and lines read before it. */
const shownLines = 14;
const linesBefore = 3;

/** The next step of the search: calls while there is more to see, then the answer. */
export function searchNext(view: View): Step {
  const terms = termsOf(view);
  const wanted = [...terms.names, ...terms.words];
  if (wanted.length === 0) return { text: textFor(view.language).chat.noTerms };
  if (view.turn === 0) return { calls: firstSearch(terms) };
  const places = rank(matchesOf(view.outcomes), pathsOf(view.outcomes), terms).slice(0, mostPlaces);
  if (view.turn === 1 && places.length > 0)
    return {
      calls: places.map(({ path, line }) => read(path, shownLines + linesBefore, Math.max(line - linesBefore, 1))),
    };
  return { text: answer(view, terms, places) };
}

/** The question's own terms; a question without any is about what was asked before. */
function termsOf(view: View): Terms {
  for (const question of [view.prompt, ...view.earlier]) {
    const terms = toTerms(question);
    if (terms.names.length + terms.words.length > 0) return terms;
  }
  return { names: [], words: [] };
}

function firstSearch({ names, words }: Terms): Call[] {
  const all = [...names, ...words];
  const definition = `\\b(function|class|def|fn|func|const|let|var|type|interface|struct|enum|trait|impl|module|package|record|macro_rules!)\\b.{0,40}`;
  const calls = [
    ...all.slice(0, 5).map((term) => grep(`${definition}${patternFor(term)}`)),
    ...all.slice(0, 5).map((term) => grep(patternFor(term))),
    ...all.slice(0, 4).map((term) => glob(`**/*${globTerm(term)}*`)),
  ];
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

function grep(pattern: string): Call {
  return { name: 'grep', input: { pattern, output_mode: 'content', ignore_case: true } };
}

/** Spaces, `_` and `-` between the parts of a name are the same to a reader. */
function patternFor(term: string): string {
  return term
    .replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    .replace(/\\\//g, '/')
    .replace(/[\s_-]+/g, '[\\s_-]?');
}

/** The last part of a path, each letter in both cases. */
function globTerm(term: string): string {
  const last = (term.split(/[/\\]/).at(-1) ?? term).replace(/[^\p{L}\p{N}_.-]/gu, '?');
  return last.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

function matchesOf(outcomes: readonly Outcome[]): Match[] {
  const all = outcomes
    .filter(({ name, status }) => name === 'grep' && status === 'ok')
    .flatMap(({ text }) => parseMatches(text));
  return [...new Map(all.map((match) => [`${match.path}:${match.line}`, match])).values()];
}

function pathsOf(outcomes: readonly Outcome[]): string[] {
  return [
    ...new Set(
      outcomes.filter(({ name, status }) => name === 'glob' && status === 'ok').flatMap(({ text }) => parsePaths(text)),
    ),
  ];
}

function answer(view: View, terms: Terms, places: readonly Place[]): string {
  const text = textFor(view.language);
  const wanted = [...terms.names, ...terms.words].map(code).join(', ');
  const refused = failedNote(
    view.outcomes.filter(({ status }) => status !== 'ok' && status !== 'cancelled'),
    text.chat.refused,
  );
  const end = [refused, `_${text.noticeShort}_`].filter((line) => line !== '');
  if (places.length === 0) {
    const looked = text.chat.looked(`${text.chat.lookedContent(wanted)}; ${text.chat.lookedNames(wanted)}`);
    return [`${text.chat.none(wanted)} ${looked} ${text.chat.tryOther}`, ...end].join('\n\n');
  }
  const shown = places.map((place, index) => describePlace(view, place, index));
  const others = rank(matchesOf(view.outcomes), pathsOf(view.outcomes), terms).slice(places.length, places.length + 6);
  const more = others.length > 0 ? [text.chat.others(others.map(cite).join(', '))] : [];
  return [text.chat.found(wanted), ...shown, ...more, ...end].join('\n\n');
}

function describePlace(view: View, place: Place, index: number): string {
  const text = textFor(view.language);
  const quote = quoteOf(view.outcomes, place);
  const fence = quote.some((line) => line.includes('```')) ? '````' : '```';
  const head = `${index + 1}. ${cite(place)}: ${text.chat[place.kind]}`;
  return quote.length > 0 ? [head, fence, ...quote, fence].join('\n') : head;
}

/** A few lines from the place on; for a definition with the comment before it. */
function quoteOf(outcomes: readonly Outcome[], place: Place): string[] {
  const offset = Math.max(place.line - linesBefore, 1);
  const result = outcomes.find(
    ({ name, input, status }) =>
      name === 'read_file' && status === 'ok' && input.file_path === place.path && input.offset === offset,
  );
  if (!result) return place.text ? [place.text] : [];
  const { lines, first } = parseRead(result.text);
  const at = Math.max(place.line, 1) - first;
  if (lines[at] === undefined) return place.text ? [place.text] : [];
  const length = place.kind === 'defined' ? 9 : place.kind === 'named' ? 6 : 3;
  let from = at;
  while (place.kind === 'defined' && from > 0 && /^\s*(?:\/\/|\/?\*|#|@|"""|---?)/.test(lines[from - 1] ?? '')) from--;
  return lines.slice(from, at + length).map((line) => (line.length > 160 ? `${line.slice(0, 160)} …` : line));
}
