/** The built program, a home, a folder and a model server of its own, for one test. */
import {
  type CliResult,
  createTempHome,
  type ModelServer,
  runCli,
  type Script,
  startCli,
  startModelServer,
  type TempHome,
} from 'rein/testing';

export interface CliHome extends TempHome {
  readonly server: ModelServer;
  /** What makes the program talk to the server. */
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], more?: { input?: string; env?: Record<string, string> }): Promise<CliResult>;
  start(args: readonly string[], more?: { env?: Record<string, string> }): ReturnType<typeof startCli>;
}

export async function createCliHome(script: Script, files: Record<string, string | Uint8Array> = {}): Promise<CliHome> {
  const [folders, server] = await Promise.all([createTempHome(files), startModelServer(script)]);
  const env = {
    CUSTOM_BASE_URL: server.url('chat'),
    CUSTOM_API_KEY: 'sk-test-0123456789',
    CUSTOM_MODEL_NAME: 'scripted',
  };
  const where = { home: folders.home, cwd: folders.workspace };
  const remove = async () => {
    await server.close();
    await folders.remove();
  };
  return {
    ...folders,
    server,
    env,
    run: (args, more = {}) => runCli(args, { ...where, input: more.input, env: { ...env, ...more.env } }),
    start: (args, more = {}) => startCli(args, { ...where, env: { ...env, ...more.env } }),
    remove,
    [Symbol.asyncDispose]: remove,
  };
}

/** Lines of JSON. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
