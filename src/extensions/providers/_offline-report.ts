/** Renders the report of a survey as Markdown. */
import { type Facts, onlyBuilt, ownFiles, plain, readmePath } from './_offline-facts.ts';
import { isCode } from './_offline-languages.ts';
import { languagesSection, largestLines, layoutSection } from './_offline-report-files.ts';
import {
  commandsSection,
  dependenciesSection,
  entriesSection,
  mainManifest,
  purposeSection,
} from './_offline-report-project.ts';
import { readingSection, testsSection } from './_offline-report-quality.ts';
import { risksSection } from './_offline-risks.ts';
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

/** The whole report, or the sections a question is about, always in the order of the report. */
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
  const shown = (Object.keys(sections) as Topic[]).filter((topic) => topics.includes(topic));
  const body = shown.map((topic) => `## ${text.sections[topic]}\n\n${sections[topic](facts, text).join('\n')}`);
  const head = whole ? [text.title(repositoryName(facts)), `> ${text.notice}`] : [];
  const foot = whole ? [] : [`_${text.noticeShort}_`];
  const code =
    whole && !ownFiles(facts).some(([path]) => isCode(path)) && facts.manifests.length === 0 ? [text.noCode] : [];
  if (whole && onlyBuilt(facts)) code.push(text.built);
  return [...head, ...notes, ...code, ...body, ...foot].join('\n\n');
}

/** Names the calls that brought nothing; empty when there is none. */
export function failedNote(failed: readonly Outcome[], say: (calls: string) => string): string {
  const counts = new Map<string, number>();
  for (const { name, status } of failed) {
    const key = `\`${name}\` (${status})`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const shown = [...counts].map(([key, count]) => (count > 1 ? `${key} × ${count}` : key));
  return shown.length > 0 ? say(shown.join(', ')) : '';
}

function isEmpty(facts: Facts): boolean {
  return facts.paths.length === 0 && (facts.folders.get('.') ?? []).length === 0;
}

function repositoryName(facts: Facts): string {
  const manifest = mainManifest(facts)?.name?.text;
  if (manifest) return manifest;
  const readme = readmePath(facts.paths);
  const heading = (readme ? facts.read.get(readme)?.lines : undefined)?.find((line) => /^#\s/.test(line)) ?? '';
  return plain(heading.replace(/^#+/, ''));
}
