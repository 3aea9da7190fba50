import { expect, test } from 'vitest';
import { permissionModes } from '../../protocol/config.ts';
import { judgeMemory, type MemoryPlace } from './memory.ts';

const memory: MemoryPlace = {
  user: '/h/memory/AGENTS.md',
  repository: '/h/memory/repos/p.md',
  trusted: true,
  subAgent: false,
  exists: (path) => path === '/h/memory/AGENTS.md',
};
const call = (tool: string) => ({
  tool,
  risk: tool === 'read_file' ? ('read' as const) : ('write' as const),
  input: {},
});
const verdict = (
  tool: string,
  path: string,
  more: Partial<MemoryPlace> = {},
  mode: (typeof permissionModes)[number] = 'default',
) => judgeMemory({ call: call(tool), mode, memory: { ...memory, ...more } }, [path])?.verdict;

test('its two files are read by anybody, and edited for a trusted folder in every mode but plan', () => {
  for (const path of [memory.user, memory.repository]) {
    expect(verdict('read_file', path, { trusted: false, subAgent: true })).toBe('allow');
    for (const mode of permissionModes)
      expect(verdict('edit_file', path, {}, mode)).toBe(mode === 'plan' ? 'deny' : 'allow');
    expect(verdict('edit_file', path, { subAgent: true })).toBe('deny');
  }
});

test('of an untrusted folder the folder’s own file is asked about, the user’s is refused', () => {
  expect(verdict('edit_file', memory.repository, { trusted: false })).toBe('ask');
  expect(verdict('edit_file', memory.user, { trusted: false })).toBe('deny');
});

test('a whole file is written only where there is none; other tools, other paths and several paths are not its business', () => {
  expect(verdict('write_file', memory.repository)).toBe('allow');
  expect(verdict('write_file', memory.user)).toBeUndefined();
  expect(verdict('delete', memory.user)).toBeUndefined();
  for (const path of ['/h/memory', '/h/memory/other.md', '/h/memory/repos/q.md', '/h/memory/AGENTS.md/x']) {
    expect(verdict('edit_file', path)).toBeUndefined();
  }
  expect(
    judgeMemory({ call: call('edit_file'), mode: 'default', memory }, [memory.user, '/etc/passwd']),
  ).toBeUndefined();
  expect(judgeMemory({ call: call('edit_file'), mode: 'default' }, [memory.user])).toBeUndefined();
});
