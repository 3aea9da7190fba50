import type { Dictionary } from '../dictionary.ts';
import { agents } from './zh-CN/agents.ts';
import { cli } from './zh-CN/cli.ts';
import { commands } from './zh-CN/commands.ts';
import { compaction } from './zh-CN/compaction.ts';
import { config } from './zh-CN/config.ts';
import { errors } from './zh-CN/errors.ts';
import { permissions } from './zh-CN/permissions.ts';
import { plan } from './zh-CN/plan.ts';
import { skills } from './zh-CN/skills.ts';

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
