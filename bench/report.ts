/** The table of a benchmark, as Markdown. */
import { cpus, totalmem } from 'node:os';
import { type FigureName, type Figures, percentile } from './scenarios.ts';

/** Medians by subject: `rein`, `program` (the command line), `full-stack` (every layer at work) and the other loops. */
export type Medians = ReadonlyMap<string, Figures>;

interface RowSpec {
  readonly title: string;
  readonly figure: FigureName;
  readonly digits: number;
  readonly target?: number;
  /** The figure must not be below the target instead of not above it. */
  readonly atLeast?: true;
  /** Whose figure is held against the target. */
  readonly of?: 'program';
}

const rows: readonly RowSpec[] = [
  { title: 'CPU a turn, mean of turns 10 to 300 (ms)', figure: 'turnCpu', digits: 2, target: 0.8 },
  { title: 'answer to next request, turns 200 to 300 (ms)', figure: 'lateGap', digits: 2, target: 1 },
  { title: 'growth of that with history (ms per 100 turns)', figure: 'growth', digits: 2, target: 0.1 },
  { title: 'ten tools of 50 ms side by side (ms)', figure: 'parallelGap', digits: 0, target: 65 },
  { title: 'stream of 20,000 pieces, CPU (s)', figure: 'streamCpu', digits: 3, target: 0.12 },
  { title: '110 KB of arguments in 5,000 pieces, CPU (s)', figure: 'argsCpu', digits: 3, target: 0.1 },
  { title: '50 sessions of 20 turns in one process (s)', figure: 'sessionsWall', digits: 2, target: 0.7 },
  { title: 'the same, CPU (s)', figure: 'sessionsCpu', digits: 2 },
  { title: 'the same, memory (MB)', figure: 'sessionsRss', digits: 0, target: 110 },
  { title: 'memory after 300 turns (MB)', figure: 'rss', digits: 0, target: 100 },
  { title: 'library: process start to first request (ms)', figure: 'cold', digits: 0 },
  { title: '`rein -p`: process start to first request (ms)', figure: 'cold', digits: 0, target: 110, of: 'program' },
  {
    title: '`rein -c -p` on 300 turns: to first request (ms)',
    figure: 'resume',
    digits: 0,
    target: 130,
    of: 'program',
  },
  { title: '300 turns on disk, search index included (MB)', figure: 'disk', digits: 2, target: 0.5 },
  { title: 'written for them, through the write-ahead log (MB)', figure: 'written', digits: 1, target: 12 },
  { title: 'first request of `rein -p` (KB)', figure: 'firstRequest', digits: 1, target: 8, of: 'program' },
  { title: 'prefix kept over 300 turns', figure: 'kept', digits: 4, target: 1, atLeast: true },
  {
    title: '`rein`: prefix kept over 300 turns and a restart',
    figure: 'kept',
    digits: 4,
    target: 1,
    atLeast: true,
    of: 'program',
  },
];

/** Medians of the repetitions of one subject. */
export function medianOf(repetitions: readonly Figures[]): Figures {
  const names = Object.keys(repetitions[0] ?? {}) as FigureName[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      percentile(
        repetitions.map((one) => one[name] ?? Number.NaN),
        0.5,
      ),
    ]),
  );
}

/** The table, with the ratio to `floor-inc` beside each figure that both have. */
export function toTable(medians: Medians): string {
  const others = [...medians.keys()].filter((name) => !['rein', 'program', fullStack].includes(name));
  const head = ['', 'target', '', 'rein', ...others];
  const lines = rows.map((row) => {
    const own = medians.get(row.of ?? 'rein')?.[row.figure];
    const base = medians.get('floor-inc')?.[row.figure];
    const cells = others.map((name) => toCell(row, row.of ? undefined : medians.get(name)?.[row.figure], base));
    return [
      row.title,
      targetOf(row),
      verdictOf(row, own),
      toCell(row, own, row.figure === 'kept' ? undefined : base),
      ...cells,
    ];
  });
  return toMarkdown([head, ...lines]);
}

const fullStack = 'full-stack';

/** The table of the full stack, with the ratio to `rein`; undefined when it was not measured. */
export function toFullStackTable(medians: Medians): string | undefined {
  const full = medians.get(fullStack);
  if (!full) return undefined;
  const lines = rows.flatMap((row) => {
    if (row.of) return [];
    const usual = medians.get('rein')?.[row.figure];
    const value = full[row.figure];
    return [[row.title, targetOf(row), verdictOf(row, value), toCell(row, value, usual)]];
  });
  return toMarkdown([['full stack', 'target', '', 'every layer at work (ratio to rein)'], ...lines]);
}

function toMarkdown([head = [], ...lines]: readonly (readonly string[])[]): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function targetOf({ target, atLeast }: RowSpec): string {
  return target === undefined ? '' : `${atLeast ? '≥' : '≤'} ${target}`;
}

function toCell({ digits, figure }: RowSpec, value: number | undefined, base: number | undefined): string {
  if (value === undefined) return '';
  const hasRatio = base !== undefined && base > 0 && figure !== 'growth' && figure !== 'kept';
  return value.toFixed(digits) + (hasRatio ? ` (${(value / base).toFixed(1)}×)` : '');
}

function verdictOf({ target, atLeast }: RowSpec, value: number | undefined): string {
  if (target === undefined || value === undefined) return '';
  return (atLeast ? value >= target : value <= target) ? 'met' : '**missed**';
}

/** Where and when it was measured. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores (${cpu?.model.trim()}), ${memory} GB`;
}
