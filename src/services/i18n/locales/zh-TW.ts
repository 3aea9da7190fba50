import type { Dictionary } from '../dictionary.ts';
import { agents } from './zh-TW/agents.ts';
import { cli } from './zh-TW/cli.ts';
import { commands } from './zh-TW/commands.ts';
import { compaction } from './zh-TW/compaction.ts';
import { config } from './zh-TW/config.ts';
import { errors } from './zh-TW/errors.ts';
import { permissions } from './zh-TW/permissions.ts';
import { plan } from './zh-TW/plan.ts';
import { skills } from './zh-TW/skills.ts';

export default {
  you: '你',
  agents,
  cli,
  commands,
  compaction,
  config,
  errors,
  permissions,
  plan,
  skills,
} satisfies Dictionary;
