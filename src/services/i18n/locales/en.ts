/** English: the shape all other languages follow. One file a topic in `en/`. */
import { commands } from './en/commands.ts';
import { config } from './en/config.ts';
import { errors } from './en/errors.ts';
import { permissions } from './en/permissions.ts';

export default { you: 'You', commands, config, errors, permissions };
