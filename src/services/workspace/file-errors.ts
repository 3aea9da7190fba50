/** What the file system refuses, in words that tell what to do. */
import { shorten } from '../../lib/text/truncate.ts';
import { visibleName } from '../../lib/text/visible.ts';
import { ReinError } from '../../protocol/errors.ts';

const maxShownBytes = 300;

const details: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many links, or a link appeared while the file was opened',
  ENOTEMPTY: 'the folder is not empty',
  EEXIST: 'exists already',
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EBUSY: 'is in use',
  ETXTBSY: 'is a program that is running',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an input/output error',
  EXDEV: 'lies on another file system',
  EINVAL: 'the path is not valid',
  ERR_INVALID_ARG_VALUE: 'the path is not valid',
};

/** A thrown value as `E_FILE` with the path as shown; errors of our own family pass unchanged. */
export function toFileError(error: unknown, path: string): ReinError {
  if (ReinError.is(error)) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const detail = details[code] ?? `the system says ${code || String(error)}`;
  return new ReinError('E_FILE', { path: visibleName(shorten(path, maxShownBytes)), detail, errno: code }, error);
}

/** An error like the system's own. */
export function fileProblem(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** `E_FILE` with a reason of our own. */
export function refuse(path: string, detail: string): ReinError {
  return new ReinError('E_FILE', { path: visibleName(path), detail });
}
