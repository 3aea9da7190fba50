/** The program's entry; bin/rein.js imports it. */
import manifest from '../../package.json' with { type: 'json' };

if (process.argv.includes('--version')) process.stdout.write(`${manifest.version}\n`);
