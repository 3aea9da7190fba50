/** What goes wrong with files, in words that tell the model what to do next. */

import { type ToolOutput, toolError } from '../../protocol/define/tool.ts';
import { ReinError } from '../../protocol/errors.ts';
import type { Workspace } from '../../protocol/host.ts';
import { countRedactionMarkers } from '../../protocol/redaction.ts';

/** Runs a tool's work; refusals become error results, everything else is thrown on. */
export async function withFailures(work: () => Promise<ToolOutput | string>): Promise<ToolOutput | string> {
  try {
    return await work();
  } catch (error) {
    const text = ReinError.is(error) ? explain(error) : undefined;
    if (text === undefined) throw error;
    return toolError(text);
  }
}

function explain({ code, params }: ReinError): string | undefined {
  const { path, detail } = params;
  switch (code) {
    case 'E_PATH_OUTSIDE': {
      const target = params.resolved === path ? '' : ` (it leads to ${params.resolved})`;
      return `Refused: ${path}${target} is outside the workspace. Use paths below ${params.root}.`;
    }
    case 'E_FILE':
      return `${path}: ${detail}.`;
    case 'E_FILE_UNSEEN':
      return `${path} exists and you have not read it. Read it first with read_file, then write.`;
    case 'E_FILE_CHANGED':
      return `${path} changed since you read it. Nothing was written. Read it again with read_file, then repeat the change.`;
    case 'E_FILE_TOO_LARGE':
      return `${path} is too large for this: ${sizeText(Number(params.size))}, at most ${sizeText(Number(params.max))}. Use a command instead.`;
    case 'E_PATTERN':
      return `The pattern cannot be used: ${detail}. Mend it, or escape characters that are meant literally.`;
    case 'E_COMMAND':
      return `The command could not be started: ${detail}.`;
    case 'E_SANDBOX_UNAVAILABLE':
    case 'E_SANDBOX_DOMAINS':
      return 'The command was not run: the sandbox is not available.';
    default:
      return undefined;
  }
}

/** Refuses text that would put the marker of a secret into a file, in the place of the secret or elsewhere. */
export function refuseMarkers(text: string, before: string): ToolOutput | undefined {
  if (countRedactionMarkers(text) <= countRedactionMarkers(before)) return undefined;
  return toolError(
    'Nothing was written: the text holds `[redacted: ...]`, which is shown to you in the place of a secret and must not stand in a file. Change only the lines around it with edit_file, or tell the user what to change.',
  );
}

/** Calls that write one file queue up under its canonical path. */
export function fileKey(workspace: Workspace, path: string): string {
  try {
    return workspace.resolve(path);
  } catch {
    // The call itself will say what is wrong with the path.
    return path;
  }
}

/** Bytes for people: `17 bytes`, `1.5 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}
