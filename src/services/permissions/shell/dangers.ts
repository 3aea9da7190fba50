/** Options and words that turn a harmless program into another one: it runs something, or writes where it is told. */
import type { ShellWord } from './words.ts';

interface Danger {
  /** Short options, and words that are no options. */
  readonly words?: RegExp;
  /**
   * Names of long options. Programs take a beginning of a name for the name, so that counts too; with a star at the end
   * whatever the name begins.
   */
  readonly long?: string;
  /** Words that are no options from this one on, counted from 0: the program writes there. */
  readonly operands?: number;
}

const compiler: Danger = { words: /^(@.*|-(wrapper|fplugin|specs|B).*)$/, long: 'specs' };

const dangers: Readonly<Record<string, Danger>> = {
  find: { words: /^-(exec|execdir|ok|okdir|delete|fprint0?|fprintf|fls|files0-from)$/ },
  fd: { words: /^-[a-zA-Z]*[xX].*$/, long: 'exec exec-batch' },
  sort: {
    words: /^-[bdfghiMnRrVscmuzk\d.,]*[oTS].*$/,
    long: 'output compress-program temporary-directory files0-from',
  },
  uniq: { operands: 1 },
  xxd: { words: /^-.*r/, long: 'revert', operands: 1 },
  file: { words: /^-[a-zA-Z]*[Cm].*$/, long: 'compile magic-file' },
  shuf: { words: /^-[a-zA-Z]*o.*$/, long: 'output' },
  iconv: { words: /^-[a-zA-Z]*o.*$/, long: 'output' },
  less: { words: /^(-.*[oOkT].*|\+.*)$/, long: 'log-file LOG-FILE lesskey*' },
  split: { long: 'filter' },
  rg: { words: /^-[a-zA-Z]*z/, long: 'pre pre-glob hostname-bin search-zip' },
  grep: { words: /^-[a-zA-Z]*f.*$/, long: 'file' },
  tar: {
    words: /^(-?[a-zA-Z]*[IFPCgT].*|[^/=]+:.*)$/,
    long: 'files-from absolute-names directory index-file listed-incremental one-top-level transform xform checkpoint-action to-command use-compress-program rsh-command info-script new-volume-script rmt-command',
  },
  zip: { words: /^(-T.*|-?T{2}.*)$/, long: 'unzip-command' },
  curl: {
    words:
      /^(-[a-zA-Z#]*[oOJKTcDFExQb].*|-[a-zA-Z#]*[@<].*|@.*|[\w.-]*@.*|.*=[@<].*|(--url=?)?[fF][iI][lL][eE]:.*|(--url=)?[\w{}[\],-]*[{[][\w{}[\],-]*:.*)$/,
    long: 'abstract-unix-socket cookie etag-save hsts alt-svc ssl-sessions variable expand-* quote preproxy socks* output* remote* config upload-file create-dirs cookie-jar dump-header trace* stderr libcurl engine form* netrc* unix-socket proxy* next',
  },
  wget: {
    words: /^-[a-zA-Z]*[OoPeiax].*$/,
    long: 'append-output hsts-file warc* rejected-log force-directories output* directory-prefix execute use-askpass post-file body-file config input-file save-cookies load-cookies',
  },
  rsync: { words: /^-[a-zA-Z]*e.*$/, long: 'rsh rsync-path remove-source-files delete* write-batch' },
  scp: { words: /^-[a-zA-Z0-9]*[oSF].*$/ },
  make: {
    words: /^(-E.*|[A-Za-z_]\w*[:+?]?=.*|-[a-zA-Z]*[fCI].*)$/,
    long: 'eval file makefile directory include-dir',
  },
  npm: {
    words: /^(exec?|x|init|innit|create|explore?|c|conf(i|ig)?|set|edit|-[cC])$/,
    long: 'script-shell shell node-options userconfig globalconfig prefix call git editor viewer',
  },
  pnpm: { words: /^(exec|dlx|create|config|-[cC])$/, long: 'script-shell shell* node-options dir config*' },
  yarn: { words: /^(exec|dlx|create|config|node)$/, long: 'cwd use-yarnrc script-shell' },
  bundle: { words: /^e(x(ec?)?)?$/ },
  poetry: { words: /^run$/ },
  pipenv: { words: /^(run|shell)$/ },
  uv: { words: /^(run|tool|x)$/ },
  cargo: { words: /^(\+.*|run|r|install)$/, long: 'config' },
  go: { words: /^(run|generate|tool|-w|-o.*)$/, long: 'exec toolexec vettool overlay modfile ldflags gcflags' },
  jq: { words: /^-[a-zA-Z]*[fL].*$/, long: 'from-file library-path' },
  yq: { words: /^-[a-zA-Z]*[iI].*$/, long: 'inplace split-exp*' },
  date: { words: /^-[a-zA-Z]*[sf].*$/, long: 'set file' },
  bat: { long: 'pager' },
  printf: { words: /^-v/ },
  tree: { words: /^-o.*$/, long: 'output' },
  diff: { long: 'to-file from-file' },
  sed: { words: /^-[a-zA-Z]*[if].*$/, long: 'in-place file' },
  ip: { words: /^(netns|vrf|-b(atch)?)$/, long: 'batch' },
  hg: { long: 'config configfile' },
  cmake: { words: /^-[EP].*$/ },
  'ssh-keygen': { words: /^-[DP].*$/ },
  openssl: { words: /^(engine|-(engine|provider|provider-path))$/ },
  ...Object.fromEntries(['apt', 'apt-get'].map((name) => [name, { words: /^-[oc].*$/, long: 'option config-file' }])),
  ...Object.fromEntries(['gcc', 'g++', 'cc', 'c++', 'clang', 'clang++'].map((name) => [name, compiler])),
};

/** What may follow `git` where a rule says only `git *`; other words may be aliases, which run anything. */
const gitCommands = new Set(
  `add blame branch cat-file checkout cherry-pick clean commit count-objects describe diff fetch grep init
  log ls-files ls-remote ls-tree merge merge-base mv name-rev pull push reflog remote reset restore rev-list rev-parse
  revert rm shortlog show show-ref stash status switch tag whatchanged version help`.split(/\s+/),
);
const gitDanger: Danger = {
  words: /^(-O.*|(ext|fd)::.*)$/,
  long: 'separate-git-dir exec-path config-env git-dir work-tree upload-pack receive-pack exec open-files-in-pager ext-diff textconv filters output paginate template config edit-description to-command',
};

/** A sed script that only shows, deletes or replaces lines. */
const plainSed = /^(\d+|\$|\/[^/\\]*\/)?(,(\d+|\$|\/[^/\\]*\/))?([pdq=]|s\/[^/\\\n]*\/[^/\\\n]*\/[gpiI0-9]*)$/;

/** The words that make a command more than a rule for its program can mean. */
export function dangerousWords(words: readonly ShellWord[]): string[] {
  const name = words[0]?.value ?? '';
  const args = words.slice(1).map(({ value = '' }) => value);
  if (name === 'git') return gitDangers(args);
  const danger = Object.hasOwn(dangers, name) ? dangers[name]! : undefined;
  const found = danger ? args.filter((arg) => isDanger(danger, arg)) : [];
  // A number is the value of an option.
  const operands = args.filter((arg) => !/^(-.|\d+$)/.test(arg));
  if (danger?.operands !== undefined) found.push(...operands.slice(danger.operands));
  if (name === 'sed') found.push(...sedScripts(args).filter((script) => !plainSed.test(script)));
  // A file called `-exec` is put in where a pattern stands.
  if (danger) found.push(...words.slice(1).flatMap((word) => (word.mayBecomeOption ? [word.text] : [])));
  return found;
}

function isDanger({ words, long = '' }: Danger, arg: string): boolean {
  if (words?.test(arg)) return true;
  // Some programs take one dash for two.
  const [, name] = /^(?:--(?=.)|-(?=...))([^=]*)/s.exec(arg) ?? [];
  if (!name) return false;
  return long
    .split(' ')
    .some(
      (each) => (each.endsWith('*') && name.startsWith(each.slice(0, -1))) || (each !== '' && each.startsWith(name)),
    );
}

function gitDangers(args: readonly string[]): string[] {
  const found = args.filter((arg) => isDanger(gitDanger, arg));
  let at = 0;
  while (args[at]?.startsWith('-')) at += args[at] === '-C' || args[at] === '-c' ? 2 : 1;
  const command = args[at];
  // Settings, and a folder whose settings count: both may name programs. Behind most commands the letters mean others.
  found.push(...(command === 'clone' ? args : args.slice(0, at)).filter((arg) => /^-[cC]/.test(arg)));
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
