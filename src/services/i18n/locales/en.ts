/** English: the shape all other languages follow. One file a topic in `en/`. */
import { commands } from './en/commands.ts';
import { errors } from './en/errors.ts';

export default { you: 'You', commands, errors };
