/** Paths that only running a command would tell: whether one may be a file that is protected or holds keys. */
import { isProtected, isSecret, type Place, secretPlaces } from './paths.ts';
import { any, isWild } from './shell/expand.ts';
import { mayBe } from './shell/overlap.ts';

const secretNames = [
  ...['.env', '.env.local', '.env.production', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '.netrc', '_netrc'],
  ...['.pgpass', '.my.cnf', '.htpasswd', '.git-credentials', '.dockercfg', '.vault-token', '.s3cfg', '.pypirc'],
  ...[
    'kubeconfig',
    'credentials.json',
    'credentials.csv',
    'secrets.json',
    'secret.json',
    'secrets.yml',
    'secrets.yaml',
  ],
  ...['secrets.toml', 'secrets.txt', 'client_secret.json', 'service-account.json', 'service_account.json'],
  // A name that only patterns fit.
  ...['§.env', '§.pem', '§.key'],
];
const secretEndings = ['env', 'pem', 'key', 'p12', 'pfx', 'jks', 'keystore', 'kdbx', 'ppk'];
const protectedNames = [
  ...['.git', '.rein', '.claude', '.agents', '.husky', '.githooks', '.circleci', '.github', '.mcp.json', 'mcp.json'],
  ...['mcp_servers.json', '.gitmodules', '.gitconfig', '.envrc', '.npmrc', '.bashrc', '.bash_profile', '.zshrc'],
  ...['.zshenv', '.profile', '.zprofile', 'config.fish', '.gitlab-ci.yml', '.travis.yml', '.drone.yml', 'jenkinsfile'],
  ...['azure-pipelines.yml', 'bitbucket-pipelines.yml'],
];

/** Whether a path with marks may be one of a file that holds keys. What only says `*` or `*.json` means no such file. */
export function mayBeSecret(path: string, place: Place): boolean {
  if (!isWild(path)) return isSecret(path, place);
  // Whoever writes a folder of somebody's home means it for every home.
  const home = path.startsWith(`${any.path}/`) ? place.userHome + path.slice(any.path.length) : path;
  if (isSecret(path, place) || isSecret(home, place)) return true;
  const name = home.slice(home.lastIndexOf('/') + 1);
  const ending = /\.([^.]*)$/.exec(name)?.[1] ?? '';
  if (pointsAt(name, secretNames) || pointsAt(ending, secretEndings)) return true;
  return !home.startsWith(any.path) && secretPlaces(place.userHome).some((each) => leadsInto(home, each));
}

/** Whether a path with marks may be protected. */
export function mayBeProtected(path: string, place: Place): boolean {
  if (isProtected(path, place)) return true;
  if (!isWild(path)) return false;
  if (path.split('/').some((name) => pointsAt(name, protectedNames))) return true;
  if (/\/\.github\/[^/]*[\ue000-\ue002]/.test(path)) return true;
  return !path.includes(any.path) && (place.guarded ?? []).some((file) => mayBe(path, file));
}

function pointsAt(name: string, names: readonly string[]): boolean {
  if (!isWild(name)) return false;
  const said = name.replace(/\.(json|csv|ya?ml|toml|ini|txt)$/, '').replace(/[\ue000-\ue002]/g, '');
  return said !== '' && names.some((each) => mayBe(name, each));
}

/** Whether the path may be this folder, or lie in it. */
function leadsInto(path: string, folder: string): boolean {
  const [names, wanted] = [path.split('/'), folder.split('/')];
  return names.length >= wanted.length && wanted.every((each, i) => names[i] === each || mayBe(names[i]!, each));
}
