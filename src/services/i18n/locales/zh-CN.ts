import type { Dictionary } from '../dictionary.ts';
import { commands } from './zh-CN/commands.ts';
import { config } from './zh-CN/config.ts';
import { errors } from './zh-CN/errors.ts';
import { permissions } from './zh-CN/permissions.ts';

export default { you: '你', commands, config, errors, permissions } satisfies Dictionary;
