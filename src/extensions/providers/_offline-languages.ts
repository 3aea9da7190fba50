/** Which language a file is written in, and what kind of file a path names. */

export interface FileKind {
  readonly language: string;
  readonly group: 'code' | 'markup' | 'data' | 'docs';
}

const table: Record<FileKind['group'], Record<string, string>> = {
  code: {
    TypeScript: 'ts tsx mts cts',
    JavaScript: 'js jsx mjs cjs',
    Python: 'py pyi',
    Go: 'go',
    Rust: 'rs',
    Java: 'java',
    Kotlin: 'kt kts',
    Scala: 'scala sbt',
    Groovy: 'groovy gradle',
    C: 'c h',
    'C++': 'cc cpp cxx hpp hh hxx ipp',
    'C#': 'cs',
    'F#': 'fs',
    'Objective-C': 'm mm',
    Swift: 'swift',
    Ruby: 'rb rake gemspec',
    PHP: 'php',
    Perl: 'pl pm',
    Lua: 'lua',
    R: 'r',
    Julia: 'jl',
    Dart: 'dart',
    Elixir: 'ex exs',
    Erlang: 'erl hrl',
    Haskell: 'hs',
    OCaml: 'ml mli',
    Clojure: 'clj cljs cljc',
    Zig: 'zig',
    Assembly: 'asm s',
    Shell: 'sh bash zsh fish',
    PowerShell: 'ps1 psm1',
    Batch: 'bat cmd',
    SQL: 'sql',
    Protobuf: 'proto',
    GraphQL: 'graphql gql',
    Terraform: 'tf',
    Nix: 'nix',
    CMake: 'cmake',
    Vue: 'vue',
    Svelte: 'svelte',
    Solidity: 'sol',
    CUDA: 'cu cuh',
    WebAssembly: 'wat',
    Notebook: 'ipynb',
  },
  markup: { HTML: 'html htm', CSS: 'css', Sass: 'scss sass', Less: 'less', XML: 'xml xsd', TeX: 'tex', SVG: 'svg' },
  data: { JSON: 'json jsonc json5 jsonl', YAML: 'yaml yml', TOML: 'toml', INI: 'ini cfg conf', CSV: 'csv tsv' },
  docs: { Markdown: 'md mdx markdown', reStructuredText: 'rst', AsciiDoc: 'adoc', Text: 'txt' },
};

const byExtension = new Map<string, FileKind>();
for (const [group, languages] of Object.entries(table)) {
  for (const [language, extensions] of Object.entries(languages)) {
    for (const extension of extensions.split(' '))
      byExtension.set(extension, { language, group: group as FileKind['group'] });
  }
}

const byName: Record<string, FileKind> = {
  Makefile: { language: 'Make', group: 'code' },
  GNUmakefile: { language: 'Make', group: 'code' },
  Dockerfile: { language: 'Dockerfile', group: 'code' },
  'CMakeLists.txt': { language: 'CMake', group: 'code' },
  Gemfile: { language: 'Ruby', group: 'code' },
  Rakefile: { language: 'Ruby', group: 'code' },
};

/** By the file's name, else by its ending; undefined for what is neither. */
export function fileKind(path: string): FileKind | undefined {
  const name = baseName(path);
  return byName[name] ?? byExtension.get(extensionOf(name));
}

/** Whether a path names a program text. */
export function isCode(path: string): boolean {
  return fileKind(path)?.group === 'code';
}

/** The last name of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a path; empty for the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

function extensionOf(path: string): string {
  const name = baseName(path);
  return name.lastIndexOf('.') > 0 ? name.slice(name.lastIndexOf('.') + 1).toLowerCase() : '';
}

/** Whether a path names a test or what tests use. */
export function isTest(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__fixtures__)\//i.test(path) ||
    /(?:[._-](?:test|spec|tests)(?:-d)?\.\w+|_test\.\w+|(?:^|\/)test_\w+\.py|(?:Test|Tests|IT|Spec)\.(?:java|kt|scala|cs|swift)|(?:^|\/)conftest\.py)$/.test(
      path,
    )
  );
}

/** Somebody else's code, copied in. */
export function isVendored(path: string): boolean {
  return /(?:^|\/)(?:node_modules|vendor|third_party|thirdparty|external|\.git)\//.test(path);
}

/** Written by a machine, or somebody else's code copied in: nothing to read first. */
export function isForeign(path: string): boolean {
  return (
    isVendored(path) ||
    /(?:^|\/)(?:dist|build|out|target|coverage|__snapshots__|generated|gen)\//.test(path) ||
    /(?:\.min\.(?:js|css)|\.(?:map|snap|lock|pb\.go|g\.dart)|_pb2\.py|bundle\.js)$/.test(path) ||
    isLock(path)
  );
}

/** Whether a path names the exact versions that were installed. */
export function isLock(path: string): boolean {
  return /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|pdm\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|mix\.lock|pubspec\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile|flake\.lock)$/.test(
    path,
  );
}
