/** What is known of programs: which run what they are given, and which options turn a harmless one into another. */
import type { ShellWord } from './words.ts';

interface Wrapper {
  /** Options that stand alone, or carry their value in the same word. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  /** Words between the options and the command. */
  readonly skip?: number;
  /** `A=1` may stand before the command. */
  readonly assigns?: boolean;
  /** A rule for the inner command does not let it run like this: as somebody else, with arguments from a stream, ... */
  readonly changes?: boolean;
}

const none = /^$/;
const any = /^-/;

/** Programs that run the command in their arguments. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: { flags: /^(-|-i|-0|-v|--ignore-environment|--null|--unset=.*|-u.+)$/, valued: /^(-u|--unset)$/, assigns: true },
  timeout: {
    flags: /^(--foreground|--preserve-status|-v|--verbose|-[ks].+|--(kill-after|signal)=.*)$/,
    valued: /^(-k|-s|--kill-after|--signal)$/,
    skip: 1,
  },
  nice: { flags: /^(-\d+|-n.+|--adjustment=.*)$/, valued: /^(-n|--adjustment)$/ },
  nohup: { flags: none },
  time: { flags: /^-p$/ },
  command: { flags: /^-p$/ },
  builtin: { flags: none },
  exec: { flags: /^-[cl]+$/, valued: /^-a$/ },
  stdbuf: { flags: /^(-[ioe].+|--(input|output|error)=.*)$/, valued: /^-[ioe]$/ },
  ionice: { flags: /^(-t|-[cn].+)$/, valued: /^-[cn]$/ },
  setsid: { flags: /^-[cfw]+$/ },
  coproc: { flags: none, changes: true },
  xargs: { flags: /^(-[0rtpxo]+|-[InPdELsai].+|--.*)$/, valued: /^-[InPdELsa]$/, changes: true },
  parallel: { flags: any, valued: /^-[jIkSa]$/, changes: true },
  sudo: { flags: /^(-[AbEeHiKklnPSsVv]+|--.*)$/, valued: /^-[CDghpRrtTUu]$/, assigns: true, changes: true },
  doas: { flags: /^-[Lns]+$/, valued: /^-[aCu]$/, changes: true },
  busybox: { flags: none, changes: true },
  toybox: { flags: none, changes: true },
  watch: { flags: any, valued: /^-[nq]$/, changes: true },
  flock: { flags: any, valued: /^-[wE]$/, skip: 1, changes: true },
  chroot: { flags: any, skip: 1, changes: true },
  unshare: { flags: any, changes: true },
  strace: { flags: any, valued: /^-[oepPsSu]$/, changes: true },
  ltrace: { flags: any, valued: /^-[oepsu]$/, changes: true },
  taskset: { flags: any, skip: 1, changes: true },
  chrt: { flags: any, skip: 1, changes: true },
};

export const shells = /^(ba|z|da|k|a|fi|c|tc)?sh$/;

/** Programs that run whatever code they are given: a rule for one of them with a star allows everything. */
export function isInterpreter(name: string): boolean {
  return shells.test(name) || interpreters.has(name) || /^(python|pypy|perl|ruby|php|lua|node)[\d.]*$/.test(name);
}

const interpreters = new Set(
  `nodejs deno bun tsx ts-node tclsh wish expect Rscript R julia ghci runghc swift scala groovy osascript
  powershell pwsh awk gawk mawk nawk source . vi vim nvim view ex ed emacs nano less more most man info ssh
  sftp telnet nc ncat netcat socat gdb lldb docker podman nerdctl kubectl nsenter su runuser pkexec screen tmux
  at batch crontab script npx bunx pipx uvx pnpx sqlite3 psql mysql irb jshell m4 systemd-run start-stop-daemon
  eval trap alias enable hash bind complete compgen shopt set`.split(/\s+/),
);

/** Programs whose arguments are never commands: a word that looks like a denied program means nothing there. */
export const plainPrograms = new Set(
  `echo printf ls cat head tail wc grep egrep fgrep rg git cd pwd mkdir rmdir rm mv cp ln touch chmod chown test true false
  sort uniq cut tr sed basename dirname realpath readlink stat file du df diff cmp comm tee date sleep which type
  tree jq yq npm yarn pnpm cargo go pip apt apt-get brew export declare local readonly unset`.split(/\s+/),
);

/** Programs that change the files in their arguments. */
export const writers = new Set(
  'rm rmdir mv cp ln touch mkdir mkfifo mknod chmod chown chgrp tee dd install truncate shred unlink rsync scp patch'.split(
    ' ',
  ),
);

const dangers: Readonly<Record<string, RegExp>> = {
  find: /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls)$/,
  fd: /^(-[a-z]*[xX].*|--exec(-batch)?(=.*)?)$/,
  sort: /^(-[bdfghiMnRrVscmuz]*[oTS].*|--(output|compress-program|temporary-directory|files0-from).*)$/,
  rg: /^--(pre|pre-glob|hostname-bin|search-zip)(=.*)?$|^-[a-zA-Z]*z/,
  grep: /^(-[a-zA-Z]*f.*|--file.*)$/,
  tar: /^(--(checkpoint-action|to-command|use-compress-program|rsh-command|info-script|new-volume-script|rmt-command).*|-?[a-zA-Z]*[IF].*)$/,
  zip: /^(-T.*|--unzip-command.*|-?T{2}.*)$/,
  curl: /^(-[a-zA-Z#]*[oOJKTcDFE].*|--(output|remote|config|upload-file|create-dirs|cookie-jar|dump-header|trace|stderr|libcurl|engine|form|netrc|unix-socket|proxy|next).*|@.*|.*=@.*)$/,
  wget: /^(-[a-zA-Z]*[OoPei].*|--(output|directory-prefix|execute|use-askpass|post-file|body-file|config|input-file|save-cookies).*)$/,
  rsync: /^(-[a-zA-Z]*e.*|--(rsh|rsync-path|remove-source-files|delete|write-batch).*)$/,
  scp: /^(-[a-zA-Z0-9]*[oSF].*)$/,
  make: /^(--?E.*|--eval.*|[A-Za-z_]\w*[:+?]?=.*|-[a-zA-Z]*[fCI].*|--(file|makefile|directory|include-dir).*)$/,
  npm: /^(exec|x|init|create|explore|config|set|--(script-shell|shell|node-options|userconfig|globalconfig|prefix|call|git|editor|viewer).*|-c)$/,
  pnpm: /^(exec|dlx|create|config|--(script-shell|shell|node-options|dir|config).*|-C)$/,
  yarn: /^(exec|dlx|create|config|node|--(cwd|use-yarnrc|script-shell).*)$/,
  cargo: /^(--config.*|\+.*|run|install)$/,
  go: /^(run|generate|tool|-(exec|toolexec|vettool|overlay|modfile|o|ldflags|gcflags).*)$/,
  jq: /^(-[a-zA-Z]*[fL].*|--(from-file|library-path).*)$/,
  yq: /^(-[a-zA-Z]*[iI].*|--(inplace|split-exp).*)$/,
  date: /^(-[a-zA-Z]*[sf].*|--(set|file).*)$/,
  bat: /^--pager.*$/,
  printf: /^-v/,
  tree: /^(-o.*|--output.*)$/,
  diff: /^--(to|from)-file.*/,
  sed: /^(-[a-zA-Z]*[if].*|--(in-place|file).*)$/,
};

/** What may follow `git` where a rule says only `git *`; other words may be aliases, which run anything. */
const gitCommands = new Set(
  `add blame branch cat-file checkout cherry-pick clean commit count-objects describe diff fetch grep init
  log ls-files ls-remote ls-tree merge merge-base mv name-rev pull push reflog remote reset restore rev-list rev-parse
  revert rm shortlog show show-ref stash status switch tag whatchanged version help`.split(/\s+/),
);
const gitDanger =
  /^(-c.*|--(exec-path|config-env|git-dir|work-tree|upload-pack|receive-pack|exec|open-files-in-pager|ext-diff|textconv|output|paginate|template|config|edit-description|to-command)(=.*)?|-O.*|(ext|fd)::.*)$/;

/** A sed script that only shows, deletes or replaces lines. */
const plainSed = /^(\d+|\$|\/[^/\\]*\/)?(,(\d+|\$|\/[^/\\]*\/))?([pdq=]|s\/[^/\\\n]*\/[^/\\\n]*\/[gpiI0-9]*)$/;

/** The words that make a command more than a rule for its program can mean. */
export function dangerousWords(words: readonly ShellWord[]): string[] {
  const name = words[0]?.value ?? '';
  const args = words.slice(1).map(({ value = '' }) => value);
  if (name === 'git') return gitDangers(args);
  const danger = Object.hasOwn(dangers, name) ? dangers[name]! : undefined;
  const found = danger ? args.filter((arg) => danger.test(arg)) : [];
  if (name === 'sed') found.push(...sedScripts(args).filter((script) => !plainSed.test(script)));
  // A file called `-exec` is put in where a pattern stands.
  if (danger) found.push(...words.slice(1).flatMap((word) => (word.mayBecomeOption ? [word.text] : [])));
  return found;
}

function gitDangers(args: readonly string[]): string[] {
  const found = args.filter((arg) => gitDanger.test(arg));
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '-C' ? 2 : 1;
  const command = args[at];
  if (command !== undefined && !gitCommands.has(command)) found.push(command);
  return found;
}

/** Values of `-e`, else the first word that is no option. */
function sedScripts(args: readonly string[]): string[] {
  const scripts = args.flatMap((arg, index) => {
    if (arg === '-e' || arg === '--expression') return [args[index + 1] ?? ''];
    return /^(-[nErsuz]*e.|--expression=)/.test(arg) ? [arg.replace(/^(-[a-zA-Z]*?e|--expression=)/, '')] : [];
  });
  if (scripts.length > 0) return scripts;
  const first = args.find((arg) => !arg.startsWith('-'));
  return first === undefined ? [] : [first];
}
