// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import cache from './cache.ts';
import compaction from './compaction.ts';
import files from './files.ts';
import memory from './memory.ts';
import repair from './repair.ts';
import rules from './rules.ts';
import skills from './skills.ts';
import todo from './todo.ts';

export const middleware = [
  cache,
  compaction,
  files,
  memory,
  repair,
  rules,
  skills,
  todo,
] as const;
