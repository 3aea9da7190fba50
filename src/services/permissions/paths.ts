/** What a path means to the permission rules. Works on text; where links lead is told from outside. */
import { posix } from 'node:path';

/** Where paths are seen from. All absolute. */
export interface Place {
  readonly cwd: string;
  /** Further folders the user opened with `--add-dir`. */
  readonly roots?: readonly string[];
  /** `$REIN_HOME`. */
  readonly home: string;
  readonly userHome: string;
  /** Absolute paths of files that commands in force run: protected like the names that are. */
  readonly guarded?: readonly string[];
  /** Where an absolute path leads when links are followed; as it is written when absent. */
  realPath?(path: string): string;
}

/** The absolute path a tool argument means; `undefined` when that is not certain. */
export function resolvePath(text: unknown, place: Place): string | undefined {
  if (typeof text !== 'string' || text.includes('\0') || text.startsWith('~')) return undefined;
  const written = posix.resolve(place.cwd, text);
  const real = place.realPath?.(written) ?? written;
  // Another name for a thing makes it no other thing, and a name that is protected stays so wherever it leads.
  return real !== written && (isProtected(written, place) || isSecret(written, place)) ? written : real;
}

/** A folder as it is written, and where it leads. */
function bothOf(folder: string, { realPath }: Place): string[] {
  return realPath ? [folder, realPath(folder)] : [folder];
}

/** Whether a canonical path is the folder or lies below it. Looks at names alone. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Inside the working folder or one the user added. */
export function isInRoots(path: string, place: Place): boolean {
  return [place.cwd, ...(place.roots ?? [])].some((root) => isInside(path, root));
}

/** A name as the most forgiving file system would take it. */
function fold(name: string): string {
  // Most names are plain, and the tables of characters take a moment to load.
  if (/^[\x21-\x7e]*$/.test(name) && !name.endsWith('.')) return name.toLowerCase();
  return name
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
}

const protectedFolders = /^(\.git|git~\d+|\.rein|\.claude|\.agents|\.husky|\.githooks|\.circleci)$/;
const protectedFiles =
  /^(\.?mcp\.json|mcp_servers\.json|\.gitmodules|\.gitconfig|\.envrc|\.npmrc|\.(bash|zsh)(rc|env|_profile|_login|_logout)|\.z(profile|login|logout)|\.profile|config\.fish|\.gitlab-ci\.ya?ml|\.travis\.yml|\.drone\.yml|jenkinsfile|azure-pipelines\.yml|bitbucket-pipelines\.yml)$/;

/** Files that can run something by themselves or change what Rein may do: version control, hooks, shells, CI, Rein. */
export function isProtected(path: string, place: Place): boolean {
  if (bothOf(place.home, place).some((home) => isInside(path.toLowerCase(), home.toLowerCase()))) return true;
  if (place.guarded?.some((file) => isGuarded(path, file, place))) return true;
  const names = path.split('/').filter(Boolean).map(fold);
  if (names.some((name) => protectedFolders.test(name)) || protectedFiles.test(names.at(-1) ?? '')) return true;
  const github = names.indexOf('.github');
  return github !== -1 && /^(workflows|actions)$/.test(names[github + 1] ?? '');
}

/** The file itself, or a folder above it, which takes it along; the working folder as a whole is no such folder. */
function isGuarded(path: string, file: string, place: Place): boolean {
  const [one, other] = [path, file].map((each) => each.split('/').map(fold).join('/')) as [string, string];
  return one === other || (isInside(other, one) && !isInside(place.cwd, path));
}

const secretInHome = [
  ...['.ssh', '.aws', '.gnupg', '.kube', '.azure', '.docker/config.json', '.config/gcloud', '.config/gh'],
  ...['.netrc', '.pgpass', '.npmrc', '.pypirc', '.git-credentials', '.config/git/credentials', '.password-store'],
];
/** Absolute paths of the files and folders in the user's home that hold keys, whether they are there or not. */
export function secretPlaces(userHome: string): string[] {
  return secretInHome.map((each) => posix.join(userHome, each));
}

const secretName =
  /^((.*)\.env|\.env\..+|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|[._]netrc|\.(pgpass|my\.cnf|htpasswd|git-credentials|dockercfg|vault-token|s3cfg|pypirc)|kubeconfig|(credentials|secrets?)\.(json|csv|ya?ml|toml|ini|txt)|(client_secret|service[-_]account).*\.json)$/;
const openName = /\.(example|sample|template|dist|pub)$/;

/** Files that hold keys: no tool reads or writes them, whatever the mode. */
export function isSecret(path: string, place: Place): boolean {
  const name = fold(posix.basename(path));
  if (secretName.test(name) && !openName.test(name)) return true;
  const lower = path.toLowerCase();
  const homes = bothOf(place.userHome, place);
  return homes.some((home) => {
    if (!isInside(lower, home.toLowerCase())) return false;
    const rest = posix.relative(home.toLowerCase(), lower);
    return rest.startsWith('.') && secretInHome.some((each) => isInside(rest, each));
  });
}
