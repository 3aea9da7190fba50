import type { Dictionary } from '../dictionary.ts';
import { commands } from './zh-CN/commands.ts';
import { errors } from './zh-CN/errors.ts';

export default { you: '你', commands, errors } satisfies Dictionary;
