import type { Dictionary } from '../dictionary.ts';
import { commands } from './zh-TW/commands.ts';
import { config } from './zh-TW/config.ts';
import { errors } from './zh-TW/errors.ts';

export default { you: '你', commands, config, errors } satisfies Dictionary;
