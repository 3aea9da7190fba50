/**
 * Names that can run something by themselves or change what Rein may do: version control, hooks, shells, editors, CI,
 * Rein's own. Which of them are there, at any depth. Pure.
 */

/** Folders that count wherever they are, with all that is in them. */
const folders = new Set(['.rein', '.claude', '.agents', '.husky', '.githooks']);
/** Files that count wherever they are. */
const files = new Set(['.mcp.json', 'mcp.json', 'mcp_servers.json', '.gitconfig', '.envrc', '.npmrc']);
/** What counts only in the first folder: nothing looks for it deeper. */
const atRoot = new Set([
  ...['.vscode', '.idea', '.circleci', '.gitlab-ci.yml', '.gitlab-ci.yaml', '.travis.yml', '.drone.yml'],
  ...['jenkinsfile', 'azure-pipelines.yml', 'bitbucket-pipelines.yml', '.profile', '.zprofile', '.zlogin', '.zlogout'],
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.zshrc', '.zshenv', 'config.fish'],
]);

/** What of a git folder can run code or lead to other settings; the rest is for git to write. */
export const gitParts = ['config', 'config.worktree', 'hooks', 'commondir', 'modules', 'worktrees'];
/** What of `.github` runs code. */
export const githubParts = ['workflows', 'actions'];

export type NameKind = 'whole' | 'git' | 'github';

/** What a name in a folder is: protected whole, or a folder some parts of which are. Letter case does not matter. */
export function kindOfName(name: string, isRoot: boolean): NameKind | undefined {
  const lower = name.toLowerCase();
  if (lower === '.git') return 'git';
  if (folders.has(lower) || files.has(lower)) return 'whole';
  if (!isRoot) return undefined;
  if (lower === '.github') return 'github';
  return atRoot.has(lower) ? 'whole' : undefined;
}

/** Any folder with these is a repository to git, also without the name `.git`. */
export function isBareRepository(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && names.has('objects') && names.has('refs');
}

/** Paths that a git configuration leads to: hooks, from the working tree, and further configuration. */
export function pathsInConfig(text: string): { readonly hooks: string[]; readonly includes: string[] } {
  const values = (key: string) =>
    [...text.matchAll(new RegExp(`^[ \\t]*${key}[ \\t]*=[ \\t]*"?([^"\\n;#]+)`, 'gim'))].map((match) =>
      match[1]!.trim(),
    );
  return { hooks: values('hookspath'), includes: values('path') };
}

const harmlessSection = /^\[(core|remote "[^"]*"|branch "[^"]*"|user|init)\]$/;
const harmlessLine = [
  /^(repositoryformatversion|bare|filemode|logallrefupdates|ignorecase|precomposeunicode|symlinks) = \w+$/,
  /^url = (https:\/\/|ssh:\/\/git@|git@|\/|\.\.?\/)[\w@:.,~+/-]*$/,
  /^(fetch|remote|merge|defaultbranch|name|email) = [^\\"!`$;#]*$/,
];

/** Whether a configuration is one that `git init` and `git clone` write: nothing in it runs anything. */
export function isHarmlessConfig(text: string): boolean {
  return text
    .split('\n')
    .map((line) => line.trim())
    .every((line) => line === '' || harmlessSection.test(line) || harmlessLine.some((known) => known.test(line)));
}
