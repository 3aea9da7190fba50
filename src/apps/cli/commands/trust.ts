/** `rein trust`: shows what in a folder could run or configure, and lets the user agree to exactly that. */
import { grantTrust, reviewTrust, revokeTrust, type TrustReview } from '../../../harness/doors/trust.ts';
import { visibleName, visibleText } from '../../../lib/text/visible.ts';
import { askYes } from '../chat/ask.ts';
import type { Cli } from '../cli.ts';
import type { CliCommand } from '../command.ts';
import { usageError } from '../flags.ts';

export default {
  define(command, cli) {
    command
      .argument('[folder]')
      .option('--yes')
      .option('--remove')
      .action(async (folder: string | undefined, own: { yes?: boolean; remove?: boolean }) => {
        const { home, cwd } = await cli.harness({ cwd: cli.folder(folder) });
        if (own.remove) {
          await revokeTrust({ home, cwd });
          return cli.err.line(cli.t('cli.trust.removed', { folder: visibleName(cwd) }));
        }
        const review = await reviewTrust({ home, cwd });
        show(cli, review);
        if (!(own.yes || (await isAgreed(cli)))) {
          cli.exit = 1;
          return cli.err.line(cli.t('cli.trust.not', { folder: visibleName(cwd) }));
        }
        await grantTrust(review);
        cli.err.line(cli.t('cli.trusted', { folder: visibleName(cwd) }));
      });
  },
} satisfies CliCommand;

function isAgreed(cli: Cli): Promise<boolean> {
  if (!process.stdin.isTTY || !cli.err.isTerminal) throw usageError({ text: 'cli.trust.needsYes' });
  return askYes(cli.t('cli.trust.ask'));
}

/** All of it: nothing is cut, and nothing hides in it. */
function show(cli: Cli, { cwd, trusted, items }: TrustReview): void {
  if (cli.options.outputFormat !== 'text') return cli.out.json({ folder: cwd, trusted, items });
  const folder = visibleName(cwd);
  for (const { id, kind, state, text, changes } of items) {
    const about = [cli.t(`cli.trust.kind.${kind}`), cli.t(`cli.trust.state.${state}`)].join(', ');
    cli.out.line(`${visibleName(id)} (${about})`);
    // What the user has agreed to already is not asked again.
    if (state !== 'trusted') cli.out.line(`${visibleText(changes ?? text).replace(/^/gm, '    ')}\n`);
  }
  if (items.length === 0) cli.out.line(cli.t('cli.trust.nothing', { folder }));
  cli.err.line(cli.t('cli.trust.means', { folder }));
}
