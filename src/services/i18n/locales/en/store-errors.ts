/** Texts of the errors of sessions and their store. */
import type { ErrorCode } from '../../../../protocol/errors.ts';

export const storeErrors = {
  E_SESSION_MISSING: {
    message: 'There is no session {session}.',
    hint: '`rein sessions list` shows the sessions.',
  },
  E_SESSION_EXISTS: {
    message: 'There is a session {session} already.',
    hint: 'Continue it with `-r {session}`, or choose another id.',
  },
  E_SESSION_BUSY: {
    message: 'Session {session} is running in another process ({owner}).',
    hint: 'Wait until it ends, or fork the session with `--fork-session`.',
  },
  E_SESSION_FENCED: {
    message: 'Another process has taken over session {session}; this one stopped and changed nothing.',
    hint: 'Go on in the other process, or open the session again.',
  },
  E_SESSION_IMPORT: {
    message: '{file} cannot be imported: {detail}',
    hint: 'Use a file that `rein sessions export` wrote.',
  },
  E_SESSION_EVENT_UNREADABLE: {
    message: 'Session {session}: event {seq} cannot be read.',
    hint: 'Fork the session before that event: `rein sessions fork`.',
  },
  E_STORE_OPEN: {
    message: 'The store {store} cannot be opened: {detail}',
    hint: 'Check the path or the address, and who may use it.',
  },
  E_STORE_CORRUPT: {
    message: 'The store {store} is damaged: {detail}',
    hint: 'Restore it from a copy, or move it away; a new one is made.',
  },
  E_STORE_FULL: {
    message: 'No space is left for the store {store}.',
    hint: 'Free some space and continue with `-c`; what was stored is kept.',
  },
  E_STORE_VERSION: {
    message: 'The store {store} was written by a newer version.',
    hint: 'Update rein.',
  },
  E_STORE_FAILED: {
    message: 'The store {store} failed: {detail}',
    hint: 'Try again; what was stored is kept.',
  },
} satisfies Partial<Record<ErrorCode, { message: string; hint: string }>>;
