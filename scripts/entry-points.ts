// The package's public doors. `exports` in package.json is the one list; sources are found by convention:
// `.` is src/index.ts, `./x` is src/x/index.ts or src/apps/x/index.ts. Adding a door is one line there.
import { existsSync, readFileSync } from 'node:fs';

export interface EntryPoint {
  /** What a user imports: `rein`, `rein/testing`. */
  specifier: string;
  /** The file name in dist, without its ending. */
  name: string;
  /** Path of the source, relative to the root. */
  source: string;
}

const root = `${import.meta.dirname}/..`;

/** All doors, in the order of `exports`. */
export function entryPoints(): EntryPoint[] {
  const manifest = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const doors = Object.keys(manifest.exports).filter((door) => door !== './package.json');
  return doors.map((door) => {
    const name = door === '.' ? 'index' : door.slice(2);
    const candidates = door === '.' ? ['src/index.ts'] : [`src/${name}/index.ts`, `src/apps/${name}/index.ts`];
    const source = candidates.find((path) => existsSync(`${root}/${path}`)) ?? candidates[0]!;
    return { specifier: door === '.' ? manifest.name : `${manifest.name}/${name}`, name, source };
  });
}
