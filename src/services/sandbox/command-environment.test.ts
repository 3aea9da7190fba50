import { expect, it } from 'vitest';
import { commandEnvironment } from './command-environment.ts';

it('security B10: programs of the workspace never stand in for those of the system', () => {
  const path = [
    ...['.', '', 'node_modules/.bin', '/w/proj/node_modules/.bin', '/w/proj', '/w/proj-tools/bin', '/usr/bin'],
    ...['/w/proj/../proj/.venv/bin', '/bin', '/added/bin'],
  ].join(':');
  expect(commandEnvironment({ PATH: path }, ['/w/proj', '/added']).PATH?.split(':')).toEqual([
    ...['/w/proj-tools/bin', '/usr/bin', '/bin'],
    ...['/w/proj/node_modules/.bin', '/w/proj', '/w/proj/../proj/.venv/bin', '/added/bin'],
  ]);
});

it('security E1, E9, B11: no key, no loader variable, no shell function, no start-up file', () => {
  const given = {
    ...{ X_API_KEY: 'k', GITHUB_TOKEN: 'k', AWS_SECRET_ACCESS_KEY: 'k', npm_config__auth: 'k', SSH_AUTH_SOCK: '/s' },
    ...{ LD_PRELOAD: 'x', LD_LIBRARY_PATH: 'x', NODE_OPTIONS: '-r x', PYTHONSTARTUP: 'x', GIT_SSH_COMMAND: 'x' },
    ...{ BASH_ENV: 'x', ENV: 'x', 'BASH_FUNC_git%%': '() { x; }', PROMPT_COMMAND: 'x', PS4: 'x', SHELLOPTS: 'x' },
    ...{ HTTPS_PROXY: 'http://u:p@proxy', LANG: 'C' },
  };
  expect(Object.keys(commandEnvironment(given)).sort()).toEqual(
    ['GIT_EDITOR', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT', 'LANG', 'PAGER', 'SHELL', 'TERM'].sort(),
  );
});
