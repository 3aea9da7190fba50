import { beforeAll, expect, test } from 'vitest';
import { createShellJudge, type ShellJudge } from './judge.ts';
import { loadShellParser } from './tree.ts';

let judge: ShellJudge;
beforeAll(async () => {
  judge = createShellJudge({ parse: await loadShellParser() });
});

/** The same numbers for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A command made by rules of the grammar, with the programs that were put where they run. */
interface Made {
  readonly text: string;
  readonly runs: readonly string[];
}

const allowed = ['wc', 'git log', 'npm test'];
const denied = 'rm';

class Grammar {
  readonly #random: () => number;
  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!;
  }

  command(depth: number): Made {
    const makers =
      depth <= 0
        ? [this.#simple]
        : [
            this.#simple,
            this.#simple,
            this.#joined,
            this.#joined,
            this.#nested,
            this.#wrapped,
            this.#substituted,
            this.#compound,
            this.#hereDocument,
            this.#redirected,
          ];
    return this.#pick(makers).call(this, depth - 1);
  }

  /** A program with arguments; the denied one may be written in other ways. */
  #simple(): Made {
    const isDenied = this.#random() < 0.3;
    const program = isDenied ? denied : this.#pick(allowed);
    const written = isDenied
      ? this.#pick(['rm', 'rm', '/bin/rm', "'rm'", '"rm"', 'r\\m', "r'm'", '"r"m', '\\rm', 'rm\\\n '])
      : program;
    const before = this.#pick(['', '', '', '', '<f ', '2>/dev/null ', '>f ']);
    const args = this.#pick([
      ' x',
      ' -rf x',
      ' "a b"',
      " 'a;b'",
      ' a\\ b',
      ' -- x',
      '',
      ' *.txt',
      ' "$HOME"',
      " '$(rm y)'",
    ]);
    return { text: before + written + args, runs: [program] };
  }

  #joined(depth: number): Made {
    const [a, b] = [this.command(depth), this.command(depth)];
    const link = this.#pick([' && ', ' || ', '; ', ' | ', ' & ', '\n', ';', '|', '&&', ' |& ', '\n\n', ' ;\n']);
    return { text: a.text + link + b.text, runs: [...a.runs, ...b.runs] };
  }

  #nested(depth: number): Made {
    const inner = this.command(depth);
    const [open, close] = this.#pick([
      ['(', ')'],
      ['( ', ' )'],
      ['{ ', '; }'],
      ['! ', ''],
    ] as const);
    return open === '! ' && /\n|;|&|\|/.test(inner.text)
      ? inner
      : { text: open + inner.text + close, runs: inner.runs };
  }

  #compound(depth: number): Made {
    const [a, b] = [this.command(depth), this.command(depth)];
    const text = this.#pick([
      `if ${a.text}; then ${b.text}; fi`,
      `if true; then ${a.text}; else ${b.text}; fi`,
      `while ${a.text}; do ${b.text}; done`,
      `for f in 1 2; do ${a.text}; ${b.text}; done`,
      `case x in a) ${a.text};; *) ${b.text};; esac`,
      `until ${a.text}\ndo\n${b.text}\ndone`,
      `f() { ${a.text}; }; ${b.text}`,
    ]);
    return { text, runs: [...a.runs, ...b.runs] };
  }

  #substituted(depth: number): Made {
    const inner = this.command(depth);
    const text = inner.text;
    const quotes = /[`'"\\]/.test(text);
    const forms = [
      `wc $(${text})`,
      `wc "$(${text})"`,
      `wc <(${text})`,
      `wc x > >(${text})`,
      `wc \${A:-$(${text})}`,
      `A=$(${text}) wc`,
      `wc $(( $(${text}) ))`,
    ];
    if (!quotes) forms.push(`wc \`${text}\``, `wc "\`${text}\`"`);
    return { text: this.#pick(forms), runs: ['wc', ...inner.runs] };
  }

  #wrapped(depth: number): Made {
    const inner = depth > 0 && this.#random() < 0.3 ? this.#wrapped(depth - 1) : this.#simple();
    const wrapper = this.#pick([
      'timeout 5 ',
      'nice -n 3 ',
      'nohup ',
      'env ',
      'env A=1 ',
      'sudo ',
      'xargs ',
      'command ',
      'time ',
      'exec ',
      'setsid ',
      'A=1 ',
      'stdbuf -o0 ',
      'busybox ',
      'timeout -s KILL 5 ',
      'sudo -u x ',
      'env -i ',
      'nice ',
      'watch ',
      'strace -f ',
      'unknown-wrapper --x ',
    ]);
    const shells = [
      `sh -c ${quote(inner.text)}`,
      `bash -c ${quote(inner.text)}`,
      `eval ${quote(inner.text)}`,
      `env sh -c ${quote(inner.text)}`,
    ];
    const text = this.#random() < 0.3 ? this.#pick(shells) : wrapper + inner.text;
    return this.#random() < 0.1
      ? { text: `find . -exec ${inner.text} {} \\;`, runs: ['find', ...inner.runs] }
      : { text, runs: inner.runs };
  }

  #hereDocument(depth: number): Made {
    const inner = this.command(depth);
    if (inner.text.includes('EOF') || /[`'"\\]/.test(inner.text)) return inner;
    return this.#pick([
      { text: `wc <<EOF\n$(${inner.text})\nEOF`, runs: ['wc', ...inner.runs] },
      { text: `wc <<EOF\n\`${inner.text}\`\nEOF`, runs: ['wc', ...inner.runs] },
      { text: `bash <<'EOF'\n${inner.text}\nEOF`, runs: ['bash', ...inner.runs] },
      {
        text: `wc <<'EOF' && ${inner.text.split('\n')[0] === inner.text ? inner.text : 'wc'}\n$(rm x)\nEOF`,
        runs: ['wc'],
      },
    ]);
  }

  #redirected(depth: number): Made {
    const inner = this.command(depth);
    const simple = !/[\n;&|]/.test(inner.text);
    return simple
      ? {
          text: this.#pick([
            `${inner.text} > f`,
            `${inner.text} 2>&1`,
            `${inner.text} 2>/dev/null`,
            `${inner.text} < f`,
          ]),
          runs: inner.runs,
        }
      : inner;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

test('security B1, B2, B3, B5, B8: of 10,000 made commands none that runs a denied program is covered, none escapes a deny rule', () => {
  const grammar = new Grammar(20_261_201);
  const patterns = allowed.map((program) => `${program} *`);
  const wrong: string[] = [];
  const times: number[] = [];
  const counts = { denied: 0, covered: 0, refused: 0 };
  for (let index = 0; index < 10_000; index++) {
    const { text, runs } = grammar.command(index % 5);
    const started = performance.now();
    const touch = judge.touches(text, `${denied} *`);
    const isCovered = judge.cover(text, patterns) !== undefined;
    times.push(performance.now() - started);
    const runsDenied = runs.includes(denied);
    const runsOther = runs.some((program) => !allowed.includes(program));
    if (runsDenied) counts.denied++;
    if (touch === 'yes') counts.refused++;
    if (isCovered) counts.covered++;
    // An allow rule for others never lets it run; a deny rule sees it, or a person does.
    if (isCovered && runsOther) wrong.push(`covered: ${text}`);
    if (runsDenied && touch === 'no') wrong.push(`missed: ${text}`);
    if (wrong.length > 5) break;
  }
  expect(wrong).toEqual([]);
  // In milliseconds, with the parse; the median does not mind a busy machine.
  expect(times.toSorted((a, b) => a - b)[5000]).toBeLessThan(1);
  // The commands are of all kinds: not all are refused, and many plain ones are covered.
  expect(counts.denied).toBeGreaterThan(3000);
  expect(counts.covered).toBeGreaterThan(500);
  expect(counts.refused).toBeGreaterThan(counts.denied * 0.95);
}, 60_000);
