/** Reads manifests (package.json, pyproject.toml, Cargo.toml ...): what a project says of itself. Pure. */

import type { Manifest } from './_offline-claims.ts';
import { baseName } from './_offline-languages.ts';
import { readComposer, readPackageJson } from './_offline-manifests-node.ts';
import {
  readCargo,
  readCMake,
  readDotnet,
  readGems,
  readGo,
  readGradle,
  readMaven,
} from './_offline-manifests-other.ts';
import { readPyproject, readRequirements, readSetup } from './_offline-manifests-python.ts';
import { readCi, readDockerfile, readMakefile } from './_offline-recipes.ts';

type Reader = (path: string, lines: readonly string[]) => Manifest;

const readers: [RegExp, Reader][] = [
  [/^package\.json$/, readPackageJson],
  [/^pyproject\.toml$/, readPyproject],
  [/^(?:requirements.*\.txt|Pipfile)$/, readRequirements],
  [/^setup\.(?:py|cfg)$/, readSetup],
  [/^Cargo\.toml$/, readCargo],
  [/^go\.mod$/, readGo],
  [/^pom\.xml$/, readMaven],
  [/^build\.gradle(?:\.kts)?$/, readGradle],
  [/^composer\.json$/, readComposer],
  [/^Gemfile$|\.gemspec$/, readGems],
  [/^CMakeLists\.txt$/, readCMake],
  [/\.csproj$/, readDotnet],
  [/^(?:GNUm|M|m)akefile$|^justfile$/, readMakefile],
  [/^Dockerfile/, readDockerfile],
  [/\.ya?ml$|^Jenkinsfile$/, readCi],
];

/** Patterns for glob that find manifests; the first list matters most. */
export const manifestGlobs = [
  '**/{package.json,pyproject.toml,setup.py,setup.cfg,requirements*.txt,Pipfile,Cargo.toml,go.mod,pom.xml,build.gradle,build.gradle.kts,composer.json,Gemfile,CMakeLists.txt,Makefile,makefile,GNUmakefile,justfile,Dockerfile}',
  '**/*.{csproj,gemspec}',
  '{.github/workflows/*.{yml,yaml},.gitlab-ci.yml,.travis.yml,azure-pipelines.yml,.circleci/config.yml,Jenkinsfile}',
];

/** Whether {@link readManifest} knows files of that name. */
export function isManifest(path: string): boolean {
  return readers.some(([name]) => name.test(baseName(path))) && (!/\.ya?ml$/.test(path) || isCi(path));
}

/** Whether a path names what a CI service runs. */
export function isCi(path: string): boolean {
  return /^(?:\.ci\/|\.github\/workflows\/|\.gitlab-ci|\.travis|azure-pipelines|\.circleci\/|Jenkinsfile)/.test(path);
}

/** What the manifest says, or undefined when it is none or cannot be read. */
export function readManifest(path: string, lines: readonly string[]): Manifest | undefined {
  const reader = readers.find(([name]) => name.test(baseName(path)))?.[1];
  return reader && lines.length > 0 ? reader(path, lines) : undefined;
}
