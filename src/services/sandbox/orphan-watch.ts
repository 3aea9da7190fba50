/**
 * Ends what commands left running when we ourselves are killed and can end nothing any more. A sandbox has the kernel end
 * everything with us, but only once it stands: what we start in our last moment would live on. A small shell waits for its
 * input to end, which happens when we do, whatever ends us, and looks for the commands' mark. Without a sandbox, what took
 * another environment is not found.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { markName } from './process-tree.ts';
import { type ProgramToStart, shellFile } from './sandbox-driver.ts';

export interface OrphanWatch {
  /** Nothing is left to watch. */
  stop(): void;
}

/**
 * Again and again, because a process may start another while the list is read, until two looks found nothing: a program
 * that is just starting, which held our end of the input until now, shows no environment for a moment.
 */
const script = `
read -r _
empty=0
for round in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for entry in /proc/[0-9]*; do
    while IFS= read -r -d '' variable; do
      case $variable in "$0"*) kill -KILL "\${entry##*/}" && found=1 ;; esac
    done <"$entry/environ"
  done
  [ "$found" ] && empty=0 || : $((++empty))
  [ $empty -lt 2 ] || exit 0
done 2>/dev/null`;

/**
 * Watches over the commands whose marks begin with `family`, which `user` runs when it is not ourselves: some containers let
 * not even root look at another's processes. Does nothing where the system shows no environments.
 */
export function watchOrphans(family: string, user: ProgramToStart['user']): OrphanWatch | undefined {
  if (process.platform !== 'linux' || !existsSync('/proc/self/environ')) return undefined;
  const watch = spawn(shellFile, ['--noprofile', '--norc', '-c', script, `${markName}=${family}`], {
    cwd: '/',
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    ...user,
  });
  // Without it commands run as well; they only may outlive us.
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  watch.unref();
  (watch.stdin as unknown as { unref(): void }).unref();
  return { stop: () => void watch.kill('SIGKILL') };
}
