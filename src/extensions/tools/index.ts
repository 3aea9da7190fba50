// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import askUser from './ask-user.ts';
import bash from './bash.ts';
import bashControl from './bash-control.ts';
import glob from './glob.ts';
import grep from './grep.ts';
import ls from './ls.ts';

export const tools = [
  askUser,
  bash,
  bashControl,
  glob,
  grep,
  ls,
] as const;

export type ToolName = 'ask_user' | 'bash' | 'bash_control' | 'glob' | 'grep' | 'ls';
