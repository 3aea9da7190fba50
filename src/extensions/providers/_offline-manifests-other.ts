/** Reads the manifests of Rust, Go, Java, Ruby, .NET and C/C++ projects. */
import { type Claim, type Command, type Dependencies, findClaim, type Manifest } from './_offline-claims.ts';
import { readToml } from './_offline-toml.ts';

/** What a `Cargo.toml` says. */
export function readCargo(path: string, lines: readonly string[]): Manifest {
  const values = readToml(lines);
  const claim = (key: string): Claim | undefined => {
    const value = values.find((one) => one.section === 'package' && one.key === key);
    return value && !/workspace/.test(value.text) ? { path, line: value.line, text: value.text } : undefined;
  };
  const dependencies: Dependencies[] = [];
  for (const [scope, pattern] of cargoScopes) {
    const inSection = values.filter(({ section }) => pattern.test(section));
    const tables = values.filter(
      ({ section }) => pattern.test(section.replace(/\.[\w-]+$/, '')) && !pattern.test(section),
    );
    const names = [
      ...inSection.map(({ key }) => key.split('.')[0] ?? key),
      ...tables.map(({ section }) => section.split('.').at(-1) ?? ''),
    ];
    const line = (inSection[0] ?? tables[0])?.line;
    if (line) dependencies.push({ path, line, scope, names: [...new Set(names)] });
  }
  const members = values.find(({ section, key }) => section === 'workspace' && key === 'members');
  const rust = claim('rust-version');
  const isPackage = values.some(({ section }) => section === 'package' || section === 'workspace');
  const line = values[0]?.line ?? 1;
  const commands: Command[] = isPackage
    ? [
        { path, line, text: 'cargo build', purpose: 'build' },
        { path, line, text: 'cargo test', purpose: 'test' },
      ]
    : [];
  return {
    path,
    system: 'Cargo',
    name: claim('name'),
    description: claim('description'),
    version: claim('version'),
    licence: claim('license'),
    needs: rust && { ...rust, text: `Rust ${rust.text}` },
    dependencies,
    commands,
    entries: values
      .filter(({ section, key }) => /^(?:bin|lib)$/.test(section) && key === 'path')
      .map(({ line: at, text }) => ({ path, line: at, text })),
    workspaces: members && { path, line: members.line, text: members.strings.join(', ') },
  };
}

const cargoScopes: [Dependencies['scope'], RegExp][] = [
  ['runtime', /^(?:target\..+\.)?(?:build-)?dependencies$|^workspace\.dependencies$/],
  ['dev', /^(?:target\..+\.)?dev-dependencies$/],
];

/** What a `go.mod` says. */
export function readGo(path: string, lines: readonly string[]): Manifest {
  const needs = findClaim(path, lines, /^go\s+([\d.]+)/);
  const required = lines.flatMap((text, index) => {
    const name = /^(?:require\s+|\s+)([\w.-]+\.[\w./-]+)\s+v/.exec(text)?.[1];
    return name && !/\/\/ indirect/.test(text) ? [{ name, line: index + 1 }] : [];
  });
  const line = findClaim(path, lines, /^(module)\b/)?.line ?? 1;
  return {
    path,
    system: 'Go modules',
    name: findClaim(path, lines, /^module\s+(\S+)/),
    needs: needs && { ...needs, text: `Go ${needs.text}` },
    dependencies: required[0]
      ? [{ path, line: required[0].line, scope: 'runtime', names: required.map(({ name }) => name) }]
      : [],
    commands: [
      { path, line, text: 'go build ./...', purpose: 'build' },
      { path, line, text: 'go test ./...', purpose: 'test' },
    ],
  };
}

/** What a `pom.xml` says. */
export function readMaven(path: string, lines: readonly string[]): Manifest {
  const dependencies: Record<'runtime' | 'dev', string[]> = { runtime: [], dev: [] };
  const parent = lines.findIndex((line) => /<\/parent>/.test(line)) + 1;
  const text = lines.join('\n');
  for (const [, body = ''] of text.matchAll(/<dependency>([\s\S]*?)<\/dependency>/g)) {
    const name = /<artifactId>([^<]+)/.exec(body)?.[1];
    if (name) dependencies[/<scope>test</.test(body) ? 'dev' : 'runtime'].push(name);
  }
  const at = lines.findIndex((line) => /<dependencies>/.test(line)) + 1;
  const java = findClaim(
    path,
    lines,
    /<(?:java\.version|maven\.compiler\.(?:release|source|target)|release)>([\d.]+)</,
  );
  const modules = [...text.matchAll(/<module>([^<]+)/g)].map((match) => match[1] ?? '');
  return {
    path,
    system: 'Maven',
    name: findClaim(path, lines, /<artifactId>([^<]+)/, parent),
    description: findClaim(path, lines, /<description>([^<]+)/),
    version: findClaim(path, lines, /<version>([^<]+)/, parent),
    needs: java && { ...java, text: `Java ${java.text}` },
    dependencies: (['runtime', 'dev'] as const).flatMap((scope) =>
      dependencies[scope].length > 0 ? [{ path, line: at, scope, names: [...new Set(dependencies[scope])] }] : [],
    ),
    commands: [
      { path, line: 1, text: 'mvn package', purpose: 'build' },
      { path, line: 1, text: 'mvn test', purpose: 'test' },
    ],
    workspaces:
      modules.length > 0
        ? { path, line: lines.findIndex((line) => /<modules>/.test(line)) + 1, text: modules.join(', ') }
        : undefined,
  };
}

/** What a Gradle build file says. */
export function readGradle(path: string, lines: readonly string[]): Manifest {
  const groups = new Map<Dependencies['scope'], { line: number; names: string[] }>();
  lines.forEach((line, index) => {
    const match =
      /^\s*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|annotationProcessor))[\s(]+(?:platform\()?["']([^"']+)["']/.exec(
        line,
      );
    if (!match?.[2]) return;
    const scope = /^test|^androidTest/.test(match[1] ?? '') ? 'dev' : 'runtime';
    const group = groups.get(scope) ?? { line: index + 1, names: [] };
    group.names.push(match[2].split(':')[1] ?? match[2]);
    groups.set(scope, group);
  });
  const main = findClaim(path, lines, /mainClass(?:Name)?(?:\.set\(|\s*=\s*)\s*["']([^"']+)["']/);
  const commands: Command[] = [
    { path, line: 1, text: 'gradle build', purpose: 'build' },
    { path, line: 1, text: 'gradle test', purpose: 'test' },
  ];
  if (main) commands.push({ ...main, text: 'gradle run', detail: main.text, purpose: 'run' });
  return {
    path,
    system: 'Gradle',
    description: findClaim(path, lines, /^\s*description\s*=\s*["']([^"']+)/),
    version: findClaim(path, lines, /^\s*version\s*=\s*["']([^"']+)/),
    dependencies: [...groups].map(([scope, group]) => ({ path, scope, ...group })),
    commands,
  };
}

/** What a `Gemfile` or `.gemspec` says. */
export function readGems(path: string, lines: readonly string[]): Manifest {
  const gems = lines.flatMap((line, index) => {
    const name = /^\s*(?:gem|\w+\.add_(?:runtime_)?dependency)[\s(]+["']([^"']+)/.exec(line)?.[1];
    return name ? [{ name, line: index + 1 }] : [];
  });
  return {
    path,
    system: 'Bundler',
    name: findClaim(path, lines, /\.name\s*=\s*["']([^"']+)/),
    description: findClaim(path, lines, /\.(?:summary|description)\s*=\s*["']([^"']+)/),
    licence: findClaim(path, lines, /\.licen[cs]e\s*=\s*["']([^"']+)/),
    dependencies: gems[0] ? [{ path, line: gems[0].line, scope: 'runtime', names: gems.map(({ name }) => name) }] : [],
    commands: path.endsWith('Gemfile') ? [{ path, line: 1, text: 'bundle install', purpose: 'install' }] : [],
  };
}

/** What a `CMakeLists.txt` says. */
export function readCMake(path: string, lines: readonly string[]): Manifest {
  const claims = (pattern: RegExp) =>
    lines.flatMap((line, index) =>
      pattern.exec(line)?.[1] ? [{ path, line: index + 1, text: pattern.exec(line)?.[1] ?? '' }] : [],
    );
  const packages = claims(/^\s*find_package\s*\(\s*(\w+)/i);
  const targets = claims(/^\s*add_(?:executable|library)\s*\(\s*([\w${}.:-]+)/i);
  const tests = findClaim(path, lines, /^\s*(enable_testing|add_test|gtest_discover_tests|include\s*\(\s*CTest)/i);
  const project = findClaim(path, lines, /^\s*project\s*\(\s*([\w-]+)/i);
  const commands: Command[] = project
    ? [{ path, line: project.line, text: 'cmake -B build && cmake --build build', purpose: 'build' }]
    : [];
  if (tests) commands.push({ path, line: tests.line, text: 'ctest --test-dir build', purpose: 'test' });
  const standard = findClaim(path, lines, /CMAKE_CXX_STANDARD\s+(\d+)/);
  return {
    path,
    system: 'CMake',
    name: project,
    description: findClaim(path, lines, /DESCRIPTION\s+"([^"]+)"/),
    needs: standard && { ...standard, text: `C++${standard.text}` },
    dependencies: packages[0]
      ? [{ path, line: packages[0].line, scope: 'runtime', names: packages.map(({ text }) => text) }]
      : [],
    commands,
    notes: targets,
  };
}

/** What a `.csproj` says. */
export function readDotnet(path: string, lines: readonly string[]): Manifest {
  const names = lines.flatMap((line) => /<PackageReference\s+Include="([^"]+)"/.exec(line)?.[1] ?? []);
  const at = lines.findIndex((line) => /<PackageReference/.test(line)) + 1;
  const framework = findClaim(path, lines, /<TargetFrameworks?>([^<]+)/);
  return {
    path,
    system: '.NET',
    description: findClaim(path, lines, /<Description>([^<]+)/),
    needs: framework,
    dependencies: names.length > 0 ? [{ path, line: at, scope: 'runtime', names }] : [],
    commands: [
      { path, line: 1, text: 'dotnet build', purpose: 'build' },
      { path, line: 1, text: 'dotnet test', purpose: 'test' },
    ],
  };
}
