// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import background from './background.ts';
import cache from './cache.ts';
import compaction from './compaction.ts';
import files from './files.ts';
import memory from './memory.ts';
import repair from './repair.ts';
import rules from './rules.ts';
import skills from './skills.ts';
import subagents from './subagents.ts';
import todo from './todo.ts';

export const middleware = [
  background,
  cache,
  compaction,
  files,
  memory,
  repair,
  rules,
  skills,
  subagents,
  todo,
] as const;
