/** Reads files that say how things are run: Makefiles, Dockerfiles, CI definitions. */
import { type Command, findClaim, type Manifest, purposeOf } from './_offline-claims.ts';
import { baseName } from './_offline-languages.ts';

/** The targets of a makefile or `justfile`. */
export function readMakefile(path: string, lines: readonly string[]): Manifest {
  const tool = baseName(path) === 'justfile' ? 'just' : 'make';
  const commands: Command[] = [];
  lines.forEach((line, index) => {
    const target = /^([a-zA-Z][\w-]*)\s*:(?!=)/.exec(line)?.[1];
    if (!target || commands.some(({ text }) => text === `${tool} ${target}`)) return;
    const recipe = /^\s+@?(\S.*)$/.exec(lines[index + 1] ?? '')?.[1];
    const comment = /##\s*(.+)$/.exec(line)?.[1];
    commands.push({
      path,
      line: index + 1,
      text: `${tool} ${target}`,
      purpose: purposeOf(target),
      detail: comment ?? recipe,
    });
  });
  return { path, system: tool, commands };
}

/** What a `Dockerfile` builds and starts. */
export function readDockerfile(path: string, lines: readonly string[]): Manifest {
  const from = findClaim(path, lines, /^FROM\s+(\S+)/i);
  const start = findClaim(path, lines, /^(?:CMD|ENTRYPOINT)\s+(.+)/i);
  const port = findClaim(path, lines, /^EXPOSE\s+(.+)/i);
  return {
    path,
    system: 'Docker',
    commands: start ? [{ path, line: start.line, text: 'docker build', purpose: 'run', detail: start.text }] : [],
    notes: [from && { ...from, text: `FROM ${from.text}` }, port && { ...port, text: `EXPOSE ${port.text}` }].filter(
      (note) => note !== undefined,
    ),
  };
}

/** The commands that continuous integration runs: the surest word on how a project is built and tested. */
export function readCi(path: string, lines: readonly string[]): Manifest {
  const commands: Command[] = [];
  const add = (text: string, line: number) => {
    const purpose = purposeOf(text);
    if (purpose === 'other' || /^(?:#|echo|if|then|fi|cd|export|uses|name)\b|\$\{\{/.test(text) || text.length > 120)
      return;
    if (!commands.some((command) => command.text === text)) commands.push({ path, line, text, purpose });
  };
  for (let index = 0; index < lines.length; index++) {
    const run = /^(\s*)(?:-\s+)?(?:run|script|sh):\s*(.*)$/.exec(lines[index] ?? '');
    const item =
      /^\s*-\s+((?:npm|pnpm|yarn|bun|npx|make|cargo|go|python|pip|pytest|tox|mvn|\.\/mvnw|gradle|\.\/gradlew|composer|bundle|cmake|ctest|dotnet|uv|poetry)\s.+)$/.exec(
        lines[index] ?? '',
      );
    if (item?.[1]) add(item[1].trim(), index + 1);
    if (!run) continue;
    const value = (run[2] ?? '').trim();
    if (value && !/^[|>]/.test(value)) add(value.replace(/^["']|["']$/g, ''), index + 1);
    const depth = (run[1] ?? '').length;
    while (/^[|>]?[-+]?$/.test(value) && index + 1 < lines.length) {
      const next = lines[index + 1] ?? '';
      if (next.trim() !== '' && next.length - next.trimStart().length <= depth) break;
      index++;
      if (next.trim() && !next.trim().startsWith('- ')) add(next.trim(), index + 1);
    }
  }
  return { path, system: 'CI', commands };
}
