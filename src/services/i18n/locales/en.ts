/** English: the shape all other languages follow. One file a topic in `en/`. */
import { agents } from './en/agents.ts';
import { cli } from './en/cli.ts';
import { commands } from './en/commands.ts';
import { compaction } from './en/compaction.ts';
import { config } from './en/config.ts';
import { errors } from './en/errors.ts';
import { permissions } from './en/permissions.ts';
import { plan } from './en/plan.ts';
import { skills } from './en/skills.ts';

export default { you: 'You', agents, cli, commands, compaction, config, errors, permissions, plan, skills };
