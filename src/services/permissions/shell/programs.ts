/** What is known of programs: which run what they are given, which change files, which take words for what they are. */

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
  at batch crontab script mapfile readarray npx bunx pipx uvx pnpx sqlite3 psql mysql irb jshell m4 systemd-run start-stop-daemon
  eval trap alias enable hash bind complete compgen shopt set runcon setarch linux32 linux64 prlimit cgexec firejail
  bwrap proot fakeroot faketime xvfb-run unbuffer rlwrap entr hyperfine perf valgrind gosu setpriv capsh numactl choom
  torsocks proxychains proxychains4 eatmydata dotenv cross-env direnv nodemon concurrently chpst`.split(/\s+/),
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

/** Programs that change no file in their arguments, but with the options that are known as dangers. */
const plainReaders = new Set(
  `cat head tail wc ls grep egrep fgrep rg ag cd pushd pwd stat file du df diff cmp comm cut tr nl tac rev fold paste join
  basename dirname realpath readlink echo printf test [ sleep which type tree jq yq column date true false sort uniq find
  fd sed less more od hexdump xxd strings md5sum sha1sum sha256sum sha512sum cksum base64 seq expr bat ping ps kill
  export declare local readonly unset shuf iconv curl`.split(/\s+/),
);
/** Commands of git that write what lies in the folder, or where they are told. */
const gitWriters =
  /^(apply|am|archive|bisect|bundle|checkout|checkout-index|clean|clone|config|difftool|fast-export|format-patch|init|mergetool|mv|read-tree|restore|rm|submodule|worktree)$/;

/** Whether the files in a command's words stay as they are, its dangerous options aside. */
export function isPlainReader(words: readonly { readonly value: string | undefined }[]): boolean {
  const [name = '', ...args] = words.map(({ value = '' }) => value);
  if (name !== 'git') return plainReaders.has(name);
  return !args.some((arg) => gitWriters.test(arg) || /^--out/.test(arg));
}

/** Interpreters whose first word is a file of code. */
export function runsFile(name: string): boolean {
  return (
    shells.test(name) ||
    /^(source|\.|nodejs|deno|bun|tsx|ts-node|(python|pypy|perl|ruby|php|lua|node)[\d.]*)$/.test(name)
  );
}
