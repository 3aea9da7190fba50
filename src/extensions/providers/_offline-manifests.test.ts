import { expect, test } from 'vitest';
import { readManifest } from './_offline-manifests.ts';

function read(path: string, text: string) {
  return readManifest(path, text.split('\n'));
}

test('a damaged package.json says nothing and breaks nothing', () => {
  expect(read('package.json', '{ "name": "x", ')).toEqual({
    path: 'package.json',
    system: 'npm',
    dependencies: [],
    commands: [],
    entries: [],
  });
});

test('names of a nested key do not hide the top-level one', () => {
  const manifest = read('package.json', '{\n  "author": {\n    "name": "A"\n  },\n  "name": "x"\n}');
  expect(manifest?.name).toEqual({ path: 'package.json', line: 5, text: 'x' });
});

test('Poetry: tables of dependencies and groups', () => {
  const text =
    '[tool.poetry]\nname = "p"\n[tool.poetry.dependencies]\npython = "^3.11"\nhttpx = "*"\n[tool.poetry.group.dev.dependencies]\npytest = "8"';
  expect(read('pyproject.toml', text)?.dependencies).toEqual([
    { path: 'pyproject.toml', line: 5, scope: 'runtime', names: ['httpx'] },
    { path: 'pyproject.toml', line: 7, scope: 'dev', names: ['pytest'] },
  ]);
});

test('requirements: options, comments and pins', () => {
  const text = '# tools\n-r base.txt\nDjango>=4,<5\nrequests[socks]==2.0 ; python_version > "3"\n\n';
  expect(read('requirements-dev.txt', text)?.dependencies).toEqual([
    { path: 'requirements-dev.txt', line: 1, scope: 'dev', names: ['Django', 'requests'] },
  ]);
});

test('Gradle, gems and composer', () => {
  expect(
    read('build.gradle.kts', 'dependencies {\n  implementation("io.x:lib:1")\n  testImplementation("org.y:t:1")\n}')
      ?.dependencies,
  ).toEqual([
    { path: 'build.gradle.kts', line: 2, scope: 'runtime', names: ['lib'] },
    { path: 'build.gradle.kts', line: 3, scope: 'dev', names: ['t'] },
  ]);
  expect(read('Gemfile', "source 'x'\ngem 'rails'\n")?.dependencies).toEqual([
    { path: 'Gemfile', line: 2, scope: 'runtime', names: ['rails'] },
  ]);
  expect(
    read('composer.json', '{\n  "require": {"php": "8"},\n  "require-dev": {"pest": "1"}\n}')?.dependencies,
  ).toEqual([
    { path: 'composer.json', line: 2, scope: 'runtime', names: ['php'] },
    { path: 'composer.json', line: 3, scope: 'dev', names: ['pest'] },
  ]);
});

test('Makefile and Dockerfile', () => {
  expect(
    read('Makefile', 'CC := gcc\n.PHONY: all\ntest: all ## Run the tests\n\t@./run\nbuild:\n\tcc x.c\n')?.commands,
  ).toEqual([
    { path: 'Makefile', line: 3, text: 'make test', purpose: 'test', detail: 'Run the tests' },
    { path: 'Makefile', line: 5, text: 'make build', purpose: 'build', detail: 'cc x.c' },
  ]);
  expect(read('Dockerfile', 'FROM node:24\nCMD ["node", "a.js"]')?.commands?.[0]).toMatchObject({
    line: 2,
    purpose: 'run',
  });
});

test('a file that is no manifest', () => {
  expect(read('notes.txt', 'x')).toBeUndefined();
});
