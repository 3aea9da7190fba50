import { describe, expect, test } from 'vitest';
import { runOffline } from './run-offline.ts';
import { createRepository } from './temp-repository.ts';

const prompt = 'Analyze this repository and write a report for a newcomer.';

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Lines that the report must hold, word for word. */
  readonly lines: readonly string[];
}

const cases: readonly Case[] = [
  {
    name: 'TypeScript',
    files: {
      'package.json':
        '{\n  "name": "mailer",\n  "description": "Sends mail in batches",\n  "version": "2.1.0",\n  "license": "MIT",\n  "main": "./dist/index.js",\n  "engines": { "node": ">=20" },\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest run"\n  },\n  "dependencies": {\n    "nodemailer": "^6.0.0"\n  },\n  "devDependencies": { "vitest": "1" }\n}\n',
      'package-lock.json': '{}\n',
      'README.md':
        '# mailer\n\n[![badge](https://x/y.svg)](https://x)\n\nSends mail in batches and retries what failed.\n',
      'src/index.ts':
        "/** The way in: reads the queue and sends. */\nexport { send } from './send.ts';\nexport function start() {}\n",
      'src/send.ts': 'export function send() {\n  // TODO: retry\n}\n',
      'src/retry.ts': "import { send } from './send.ts';\nexport const retry = send;\n",
      'test/send.test.ts': `${'test("x", () => {});\n'.repeat(20)}`,
      'dist/index.js': 'export {};\n',
    },
    lines: [
      'A TypeScript project (npm): **mailer** (`package.json:2`).',
      '- `package.json` says: “Sends mail in batches” (`package.json:3`)',
      '- `README.md` says: “Sends mail in batches and retries what failed.” (`README.md:5`)',
      '- version `2.1.0` (`package.json:4`); licence `MIT` (`package.json:5`); needs `node >=20` (`package.json:7`)',
      '| TypeScript | 4 | 28 | 57 % |',
      '- `src/index.ts`: named in `package.json:6`; “The way in: reads the queue and sends.”; exports `start`',
      '- `package.json`: 1 runtime: `nodemailer` (`package.json:12`); 1 development: `vitest` (`package.json:15`)',
      '| `npm run build` | build: `tsc` | `package.json:9` |',
      '| `npm test` | test: `vitest run` | `package.json:10` |',
      '1 test file, 20 lines (71 % of the code). They are in `test/` (1).',
      '- 1 line marked TODO, FIXME, HACK or XXX in 1 file; most in `src/send.ts` (1).',
      '- Generated or copied-in code is committed: `dist/`.',
    ],
  },
  {
    name: 'Python',
    files: {
      'pyproject.toml':
        '[project]\nname = "crawl"\ndescription = "A polite crawler"\nrequires-python = ">=3.11"\ndependencies = [\n  "httpx>=0.27",  # the client\n  "lxml[html]",\n]\n\n[project.optional-dependencies]\ndev = ["pytest"]\n\n[project.scripts]\ncrawl = "crawl.cli:main"\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
      'crawl/__init__.py': '',
      'crawl/cli.py':
        '"""Command line of the crawler."""\nfrom crawl.fetch import fetch\n\n\ndef main():\n    fetch(eval("1"))\n\n\nif __name__ == "__main__":\n    main()\n',
      'crawl/fetch.py': 'API_KEY = "abcdef0123456789abcdef"\n\n\ndef fetch(url):\n    return url\n',
      'tests/test_fetch.py': 'def test_fetch():\n    assert True\n',
    },
    lines: [
      'A Python project (pip): **crawl** (`pyproject.toml:2`).',
      '- `pyproject.toml` says: “A polite crawler” (`pyproject.toml:3`)',
      '- needs `Python >=3.11` (`pyproject.toml:4`)',
      '- `crawl/cli.py`: named in `pyproject.toml:14`; “Command line of the crawler.”',
      '- `pyproject.toml`: 2 runtime: `httpx`, `lxml` (`pyproject.toml:5`); 1 development: `pytest` (`pyproject.toml:11`)',
      '| `pytest` | test | `pyproject.toml:17` |',
      '- No README.',
      '- Lines that look like hard-coded secrets (values not shown): `crawl/fetch.py:1`.',
      '- Code that runs text or touches raw memory or HTML (look before you change it): `crawl/cli.py:6`.',
    ],
  },
  {
    name: 'Go',
    files: {
      'go.mod':
        'module example.org/tally\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n',
      'cmd/tally/main.go': '// Command tally counts words.\npackage main\n\nfunc main() {\n}\n',
      'internal/count/count.go': 'package count\n\nfunc Words(s string) int { return 0 }\n',
      'internal/count/count_test.go': 'package count\n',
    },
    lines: [
      'A Go project (Go modules): **example.org/tally** (`go.mod:1`).',
      '- needs `Go 1.22` (`go.mod:3`)',
      '- `cmd/tally/main.go:4`: a main function stands here (`func main() {`); “Command tally counts words.”',
      '- `go.mod`: 1 runtime: `github.com/spf13/cobra` (`go.mod:6`)',
      '| `go test ./...` | test (usual for this kind of manifest; not run here) | `go.mod:1` |',
      '- Dependencies are declared in `go.mod` but no lock file is committed: two installs may differ.',
    ],
  },
  {
    name: 'Rust workspace',
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["crates/core", "crates/cli"]\n',
      'crates/core/Cargo.toml':
        '[package]\nname = "core-lib"\nversion = "0.1.0"\ndescription = "Parsing"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
      'crates/core/src/lib.rs': '//! Parses things.\npub fn parse() {}\n\n#[cfg(test)]\nmod tests {}\n',
      'crates/cli/Cargo.toml':
        '[package]\nname = "cli"\n\n[dependencies]\ncore-lib = { path = "../core" }\nclap = "4"\n\n[dev-dependencies]\nproptest = "1"\n',
      'crates/cli/src/main.rs': 'fn main() {\n    unsafe { run() }\n}\n',
    },
    lines: [
      '- `crates/cli/src/main.rs:1`: a main function stands here (`fn main() {`)',
      '- `crates/cli/Cargo.toml`: 2 runtime: `core-lib`, `clap` (`crates/cli/Cargo.toml:5`); 1 development: `proptest` (`crates/cli/Cargo.toml:9`)',
      '# What is in this repository',
      '- 2 packages in this repository:',
      '  - `core-lib` (`crates/core/Cargo.toml:2`): Parsing',
      '  - `cli` (`crates/cli/Cargo.toml:2`)',
      '1 source file holds tests of its own: `crates/core/src/lib.rs:4`.',
      '| `cargo test` | test (usual for this kind of manifest; not run here) | `Cargo.toml:2` |',
    ],
  },
  {
    name: 'Java',
    files: {
      'pom.xml':
        '<project>\n  <parent><artifactId>boot</artifactId>\n  </parent>\n  <artifactId>shop</artifactId>\n  <description>A small shop</description>\n  <properties><java.version>21</java.version></properties>\n  <dependencies>\n    <dependency><artifactId>spring-web</artifactId></dependency>\n    <dependency><artifactId>junit-jupiter</artifactId><scope>test</scope></dependency>\n  </dependencies>\n</project>\n',
      'src/main/java/shop/ShopApplication.java':
        'package shop;\n\npublic class ShopApplication {\n  public static void main(String[] args) {}\n}\n',
      'src/test/java/shop/ShopTest.java': 'package shop;\nclass ShopTest {}\n',
    },
    lines: [
      'A Java project (Maven): **shop** (`pom.xml:4`).',
      '- `pom.xml` says: “A small shop” (`pom.xml:5`)',
      '- `pom.xml`: 1 runtime: `spring-web` (`pom.xml:7`); 1 development: `junit-jupiter` (`pom.xml:7`)',
      'Framework: `junit-jupiter`, `mvn test` (`pom.xml:7`, `pom.xml:1`).',
    ],
  },
  {
    name: 'C with CMake and CI',
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.20)\nproject(ring C)\nfind_package(ZLIB)\nadd_executable(ring src/main.c)\nenable_testing()\n',
      'src/main.c': '/* Ring buffer demo */\n#include "ring.h"\nint main(void) { return 0; }\n',
      'src/ring.h': 'int push(int x);\n',
      'src/ring.c': '#include "ring.h"\nint push(int x) { return x; }\n',
      '.github/workflows/ci.yml':
        'jobs:\n  build:\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          cmake -B out\n          ctest --test-dir out\n',
    },
    lines: [
      'A C project (CMake): **ring** (`CMakeLists.txt:2`).',
      '- `src/main.c:3`: a main function stands here (`int main(void) { return 0; }`); “Ring buffer demo”',
      '- `CMakeLists.txt`: 1 runtime: `ZLIB` (`CMakeLists.txt:3`)',
      '| `ctest --test-dir out` | test | `.github/workflows/ci.yml:7` |',
      '| `.github/` | continuous integration; 1 file, 7 lines, mostly YAML |',
    ],
  },
];

describe('analyze', () => {
  test.each(cases)('$name: names what there is, with its place', async ({ files, lines }) => {
    using repository = createRepository(files);
    const run = await runOffline(repository.root, prompt);
    const report = run.text.split('\n');
    expect(lines.filter((line) => !report.includes(line))).toEqual([]);
    expect(run.text).not.toContain('abcdef0123456789');
    expect(run.text).toContain('**no language model was used**');
    expect(run.turns).toBeLessThanOrEqual(6);
  });

  test('an empty folder', async () => {
    using repository = createRepository({});
    const { text } = await runOffline(repository.root, prompt);
    expect(text).toContain('The folder is empty, or everything in it is ignored');
  });

  test('a folder without code', async () => {
    using repository = createRepository({
      'minutes/may.md': '# May\n\nWe met and agreed.\n',
      'list.csv': 'a,b\n1,2\n',
    });
    const { text } = await runOffline(repository.root, prompt);
    expect(text).toContain('No source code was found');
    expect(text).toContain('| `minutes/` | 1 file, 3 lines, mostly Markdown |');
  });

  test('a large repository: turns, calls and output stay bounded, and the report says what it did not see', async () => {
    const files: Record<string, string> = {};
    for (let index = 0; index < 720; index++)
      files[`src/part${index % 3}/file${index}.py`] = `def f${index}():\n    pass\n`;
    using repository = createRepository(files);
    const run = await runOffline(repository.root, prompt);
    expect(run.turns).toBeLessThanOrEqual(6);
    expect(run.calls.length).toBeLessThanOrEqual(40);
    expect(run.text.length).toBeLessThan(20_000);
    expect(run.text).toContain('| Python | 720 | 1,440 | 100 % |');
    expect(run.text).not.toContain('lower bounds');
  });

  test('the same repository gives the same report and the same call ids', async () => {
    using repository = createRepository(cases[0]!.files);
    const [first, second] = [await runOffline(repository.root, prompt), await runOffline(repository.root, prompt)];
    expect(second).toEqual(first);
  });

  test.each([
    ['请分析这个仓库', '## 从哪里读起'],
    ['請分析這個專案', '## 從哪裡讀起'],
  ])('answers in the language of the prompt: %s', async (question, heading) => {
    using repository = createRepository(cases[1]!.files);
    expect((await runOffline(repository.root, question)).text).toContain(heading);
  });

  test('refused calls: degrades, names them, comes to an end', async () => {
    using repository = createRepository(cases[0]!.files);
    const run = await runOffline(repository.root, prompt, { denied: ['grep', 'glob'] });
    expect(run.text).toContain('Some looks were refused or failed');
    expect(run.text).toContain('(`package.json:3`)');
    const none = await runOffline(repository.root, prompt, { denied: ['grep', 'glob', 'ls', 'read_file'] });
    expect(none.turns).toBeLessThanOrEqual(6);
  });

  test('without tools it says so at once', async () => {
    using repository = createRepository(cases[0]!.files);
    const run = await runOffline(repository.root, prompt, { tools: [] });
    expect([run.turns, run.text]).toEqual([1, expect.stringContaining('I cannot look at files here')]);
  });
});
