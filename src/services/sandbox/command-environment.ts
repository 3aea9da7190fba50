/** What a command sees of our environment: what is named here, never a key or a token. */
import { isAbsolute, normalize } from 'node:path';

const names = new Set([
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'TZ',
    'TMPDIR',
    'TEMP',
    'TMP',
    'LANG',
    'LANGUAGE',
    'COLUMNS',
    'HOSTNAME',
    'CI',
  ],
  ...[
    'JAVA_HOME',
    'GOPATH',
    'GOROOT',
    'CARGO_HOME',
    'RUSTUP_HOME',
    'NVM_DIR',
    'PYENV_ROOT',
    'VIRTUAL_ENV',
    'CONDA_PREFIX',
  ],
  ...[
    'XDG_CACHE_HOME',
    'XDG_CONFIG_HOME',
    'XDG_DATA_HOME',
    'XDG_RUNTIME_DIR',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'NODE_EXTRA_CA_CERTS',
  ],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'],
]);

/** Nobody is there to page or to answer a question. */
const fixed = {
  SHELL: '/bin/bash',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'false',
};

/**
 * The environment for commands, picked from `environment`. A proxy address with a password in it is left out. A program
 * that lies in one of `roots` never stands in for one of the system.
 */
export function commandEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  roots: readonly string[] = [],
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !(names.has(name) || name.startsWith('LC_'))) continue;
    if (/^\w+:\/\/[^/@]*@/.test(value)) continue;
    picked[name] = value;
  }
  return { ...picked, ...(picked.PATH !== undefined && { PATH: orderPath(picked.PATH, roots) }), ...fixed };
}

/** Whole paths only, those of the workspace last. */
function orderPath(path: string, roots: readonly string[]): string {
  const entries = path.split(':').filter((entry) => isAbsolute(entry));
  const isOwn = (entry: string) => roots.some((root) => `${normalize(entry)}/`.startsWith(`${root}/`));
  return [...entries.filter((entry) => !isOwn(entry)), ...entries.filter(isOwn)].join(':');
}
