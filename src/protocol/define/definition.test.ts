import { expect, test } from 'vitest';
import { defineCommand, isCommand } from './command.ts';
import { defineHook, definePreTool, isHook } from './hook.ts';
import { defineMiddleware, isMiddleware } from './middleware.ts';
import { defineProvider, isProvider } from './provider.ts';
import { defineTool, isTool } from './tool.ts';

const run = () => undefined;
const sound = {
  tool: { name: 't', description: 'd', input: {}, risk: 'read', execute: run },
  middleware: { name: 'm', slot: 'user', wrapModelCall: run },
  hook: { name: 'h', event: 'Stop', run },
  provider: { name: 'p', defaultModel: 'x', create: run },
  command: { name: 'c', description: 'd', run },
};
const define = {
  tool: defineTool,
  middleware: defineMiddleware,
  hook: defineHook,
  provider: defineProvider,
  command: defineCommand,
} as unknown as Record<keyof typeof sound, (definition: object) => unknown>;
const is = { tool: isTool, middleware: isMiddleware, hook: isHook, provider: isProvider, command: isCommand };
const kinds = Object.keys(sound) as (keyof typeof sound)[];

test.each(kinds)('a sound %s is known for one, and for no other kind', (kind) => {
  const defined = define[kind](sound[kind]);
  expect(kinds.filter((each) => is[each](defined))).toEqual([kind]);
  expect(is[kind](sound[kind])).toBe(false);
  expect(is[kind](null)).toBe(false);
});

const events =
  'SessionStart, SessionEnd, UserPromptSubmit, PreToolUse, PermissionRequest, PostToolUse, PreCompact, SubagentStart, SubagentStop, Notification, Stop';
const slots = 'todo, skills, files, subagents, compaction, repair, background, user, cache, memory, approval';

const wrong: [keyof typeof sound, object, string][] = [
  ['tool', { input: undefined }, 'tool "t": "input" must be a record, not undefined'],
  ['tool', { risk: 'nuke' }, 'tool "t": "risk" must be one of read, write, execute, network, not "nuke"'],
  ['tool', { execute: undefined }, 'tool "t": it needs one of "execute", "ask" and "delegate"'],
  ['tool', { ask: run }, 'tool "t": it needs one of "execute", "ask" and "delegate"'],
  ['tool', { execute: 'run' }, 'tool "t": "execute" must be a function, not "run"'],
  ['tool', { name: 7 }, 'tool number: "name" must be a string, not number'],
  ['middleware', { name: '' }, 'middleware "": "name" must be a text, not ""'],
  ['middleware', { slot: 'last' }, `middleware "m": "slot" must be one of ${slots}, not "last"`],
  ['middleware', { wrapToolCall: {} }, 'middleware "m": "wrapToolCall" must be a function, not object'],
  ['hook', { event: 'preToolUse' }, `hook "h": "event" must be one of ${events}, not "preToolUse"`],
  ['hook', { run: null }, 'hook "h": "run" must be a function, not null'],
  ['provider', { name: undefined }, 'provider undefined: "name" must be a word, not undefined'],
  ['provider', { defaultModel: undefined }, 'provider "p": "defaultModel" must be a string, not undefined'],
  ['provider', { create: undefined }, 'provider "p": "create" must be a function, not undefined'],
  ['command', { name: 'two words' }, 'command "two words": "name" must be a word, not "two words"'],
  ['command', { description: undefined }, 'command "c": "description" must be a string, not undefined'],
  ['command', { run: undefined }, 'command "c": "run" must be a function, not undefined'],
];

test.each(wrong)('a %s with %o is refused where it is defined', (kind, fields, message) => {
  expect(() => define[kind]({ ...sound[kind], ...fields })).toThrow(new TypeError(message));
});

test('a tool without name or description passes: whoever lists the tools says why it is not registered', () => {
  expect(isTool(define.tool({ ...sound.tool, name: undefined, description: undefined }))).toBe(true);
});

test('a plain hook takes its name from its function, also from a bound one', () => {
  expect(definePreTool(run).name).toBe('run');
  expect(definePreTool(run.bind(undefined)).name).toBe('bound run');
});
