// Written by scripts/generate-indexes.ts (npm run generate). Do not edit.

import askUser from './ask-user.ts';
import bash from './bash.ts';
import bashControl from './bash-control.ts';
import editFile from './edit-file.ts';
import glob from './glob.ts';
import grep from './grep.ts';
import ls from './ls.ts';
import readFile from './read-file.ts';
import webFetch from './web-fetch.ts';
import writeFile from './write-file.ts';

export const tools = [
  askUser,
  bash,
  bashControl,
  editFile,
  glob,
  grep,
  ls,
  readFile,
  webFetch,
  writeFile,
] as const;

export type ToolName = 'ask_user' | 'bash' | 'bash_control' | 'edit_file' | 'glob' | 'grep' | 'ls' | 'read_file' | 'web_fetch' | 'write_file';
