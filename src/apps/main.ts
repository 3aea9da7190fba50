/** The program's entry; bin/rein.js imports it. The version needs nothing else. */
import manifest from '../../package.json' with { type: 'json' };

if (process.argv[2] === '--version' && process.argv.length === 3) {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 1));
  process.stdout.write(`${manifest.version}\n`);
} else await (await import('./cli/start.ts')).start(process.argv.slice(2));
