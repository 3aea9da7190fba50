/** The section that says what to beware of. */
import { uniqueBy } from './_offline-claims.ts';
import { byDepth, depth, type Facts, greatestFirst, onlyBuilt, ownFiles, readmePath } from './_offline-facts.ts';
import { isCode, isForeign, isLock, isTest } from './_offline-languages.ts';
import { isCi } from './_offline-manifests.ts';
import type { Match } from './_offline-parse.ts';
import { cite, code, number } from './_offline-render.ts';
import { inlineTests } from './_offline-report-quality.ts';
import type { OfflineText } from './_offline-text-en.ts';

/** One thing to look for; undefined when all is well. */
type Risk = (facts: Facts, text: OfflineText) => string | undefined;

/** What was found, a line each; or that nothing was. */
export function risksSection(facts: Facts, text: OfflineText): string[] {
  const found = risks.map((risk) => risk(facts, text)).filter((line) => line !== undefined);
  if (found.length === 0) return [facts.lines.size > 0 ? text.risk.none : text.noLines];
  return found.map((line) => `- ${line}`);
}

const noLock: Risk = (facts, { risk }) => {
  const declaring = facts.manifests.find(
    ({ path, dependencies = [] }) =>
      dependencies.length > 0 &&
      /(?:package\.json|Cargo\.toml|go\.mod|composer\.json|Gemfile|Pipfile)$/.test(path) &&
      depth(path) === 0,
  );
  return declaring && !onlyBuilt(facts) && !facts.paths.some(isLock) ? risk.noLock(declaring.path) : undefined;
};

const noTests: Risk = (facts, { risk }) => {
  const hasTests = ownFiles(facts).some(([path]) => isTest(path) && isCode(path)) || inlineTests(facts).length > 0;
  if (sources(facts).length === 0 || hasTests) return undefined;
  const command = facts.manifests
    .flatMap(({ commands = [] }) => commands)
    .find(({ purpose, detail }) => purpose === 'test' && detail);
  return command ? risk.testsElsewhere(cite(command)) : risk.noTests;
};

const noLicence: Risk = (facts, { risk }) => {
  const hasLicence =
    facts.paths.some((path) => /^(?:licen[cs]e|copying|unlicense)/i.test(path)) ||
    facts.manifests.some(({ licence }) => licence);
  return sources(facts).length > 0 && !hasLicence ? risk.noLicence : undefined;
};

const noReadme: Risk = (facts, { risk }) => (readmePath(facts.paths) ? undefined : risk.noReadme);

const noCi: Risk = (facts, { risk }) => (sources(facts).length > 0 && !facts.paths.some(isCi) ? risk.noCi : undefined);

const large: Risk = (facts, text) => {
  const files = sources(facts)
    .filter(([, lines]) => lines >= 1000)
    .sort(([, a], [, b]) => b - a);
  if (files.length === 0) return undefined;
  const shown = files.slice(0, 5).map(([path, lines]) => `\`${path}\` (${number(lines)})`);
  return text.risk.large(shown.join(', ') + (files.length > 5 ? ` ${text.more(files.length - 5)}` : ''));
};

const secrets: Risk = (facts, { risk }) => {
  const found = (facts.matches.get('secrets') ?? []).filter(
    ({ path, text }) => !isTest(path) && !isForeign(path) && !/example|placeholder|your[_-]|xxxx|<|\$\{/i.test(text),
  );
  return found.length > 0 ? risk.secrets(places(found)) : undefined;
};

/** A method named `exec` of a pattern or database is none of these. */
const runsText =
  /(?:^|[^.\w])(?:eval|exec|execSync|popen)\(|\b(?:os|subprocess)\.\w+\(|shell\s*=\s*True|new Function\(|pickle\.loads?\(|yaml\.load\(|\.innerHTML\s*=|dangerouslySetInnerHTML|\bunsafe \{|(?:^|[^.\w])(?:system|strcpy|sprintf|gets)\(/;

const risky: Risk = (facts, { risk }) => {
  const found = (facts.matches.get('risky') ?? []).filter(
    ({ path, text }) =>
      isCode(path) && !isTest(path) && !isForeign(path) && runsText.test(text) && !/^\s*(?:\/\/|\*|#|"|')/.test(text),
  );
  return found.length > 0 ? risk.risky(places(found)) : undefined;
};

const todo: Risk = (facts, { risk }) => {
  const files = greatestFirst(facts.todo).filter(([path]) => isCode(path) && !isForeign(path));
  if (files.length === 0) return undefined;
  const shown = files.slice(0, 3).map(([path, count]) => `\`${path}\` (${count})`);
  const lines = files.reduce((sum, [, count]) => sum + count, 0);
  return risk.todo(lines, files.length, shown.join(', '));
};

const committed: Risk = (facts, { risk }) => {
  const foreign = facts.paths.filter((path) => isForeign(path) && !isLock(path));
  const tops = foreign.map((path) => (path.includes('/') ? `${path.slice(0, path.indexOf('/'))}/` : path));
  return foreign.length > 0 && !onlyBuilt(facts) ? risk.committed(listOf([...new Set(tops)])) : undefined;
};

const environment: Risk = (facts, { risk }) => {
  const files = facts.paths.filter((path) => /(?:^|\/)\.env(?:\.(?:local|production|prod))?$/.test(path));
  return files.length > 0 ? risk.env(listOf(files)) : undefined;
};

/** In the order of the report. */
const risks = [noLock, noTests, noLicence, noReadme, noCi, large, secrets, risky, todo, committed, environment];

/** Code that is no test, with its lines. */
function sources(facts: Facts): (readonly [string, number])[] {
  return ownFiles(facts).filter(([path]) => isCode(path) && !isTest(path));
}

function listOf(names: readonly string[]): string {
  return names.slice(0, 5).map(code).join(', ');
}

function places(matches: readonly Match[]): string {
  const byFile = uniqueBy(matches, ({ path }) => path).sort(byDepth);
  return byFile.slice(0, 6).map(cite).join(', ') + (byFile.length > 6 ? ', …' : '');
}
