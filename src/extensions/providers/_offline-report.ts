/** Renders the report of a survey as Markdown. */
import { byDepth, type Facts, ownFiles } from './_offline-facts.ts';
import { isCode } from './_offline-languages.ts';
import { languagesSection, largestLines, layoutSection } from './_offline-report-files.ts';
import { commandsSection, dependenciesSection, entriesSection, purposeSection } from './_offline-report-project.ts';
import { readingSection, risksSection, testsSection } from './_offline-report-quality.ts';
import type { OfflineText } from './_offline-text-en.ts';
import type { Outcome } from './_offline-view.ts';

export type Topic = keyof OfflineText['sections'];

type Section = (facts: Facts, text: OfflineText) => string[];

const sections: Record<Topic, Section> = {
  purpose: purposeSection,
  languages: languagesSection,
  layout: layoutSection,
  entries: entriesSection,
  dependencies: dependenciesSection,
  commands: commandsSection,
  tests: testsSection,
  risks: risksSection,
  reading: readingSection,
  largest: largestLines,
};

const inReport: readonly Topic[] = [
  'purpose',
  'languages',
  'layout',
  'entries',
  'dependencies',
  'commands',
  'tests',
  'risks',
  'reading',
];

/** The whole report, or the sections a question is about. */
export function renderReport(facts: Facts, text: OfflineText, topics: readonly Topic[] = inReport): string {
  const whole = topics === inReport;
  const notes = [facts.cut.length > 0 ? text.partial : '', failedNote(facts.failed, text.failed)].filter(
    (note) => note !== '',
  );
  if (isEmpty(facts))
    return [
      ...(whole ? [text.title(repositoryName(facts))] : []),
      ...notes,
      text.nothing,
      `_${text.noticeShort}_`,
    ].join('\n\n');
  const body = topics.map((topic) => `## ${text.sections[topic]}\n\n${sections[topic](facts, text).join('\n')}`);
  const head = whole ? [text.title(repositoryName(facts)), `> ${text.notice}`] : [];
  const foot = whole ? [] : [`_${text.noticeShort}_`];
  const code =
    whole && !ownFiles(facts).some(([path]) => isCode(path)) && facts.manifests.length === 0 ? [text.noCode] : [];
  return [...head, ...notes, ...code, ...body, ...foot].join('\n\n');
}

/** Names the calls that brought nothing; empty when there is none. */
export function failedNote(failed: readonly Outcome[], say: (calls: string) => string): string {
  const names = failed.map(
    ({ name, input, status }) =>
      `\`${name}\` ${String(input.path ?? input.file_path ?? input.pattern ?? '').slice(0, 40)} (${status})`,
  );
  const shown = [...new Set(names)];
  return shown.length > 0 ? say(shown.slice(0, 6).join(', ') + (shown.length > 6 ? ', …' : '')) : '';
}

function isEmpty(facts: Facts): boolean {
  return facts.paths.length === 0 && (facts.folders.get('.') ?? []).length === 0;
}

function repositoryName(facts: Facts): string {
  const named = [...facts.manifests].sort(byDepth).find(({ name, path }) => name && !path.includes('/'))?.name?.text;
  return named ?? facts.manifests[0]?.name?.text ?? '.';
}
