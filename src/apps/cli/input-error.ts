/** A file that was named on the command line and cannot be read. */
import { ReinError } from '../../protocol/errors.ts';

/** `E_INPUT_FILE` with what the system says; an error of our own stays as it is. */
export function toInputError(file: string, error: unknown): ReinError {
  if (ReinError.is(error)) return error;
  const detail = (error as NodeJS.ErrnoException).code ?? String(error);
  return new ReinError('E_INPUT_FILE', { file, detail }, error);
}
