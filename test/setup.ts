// Runs before each test file: no network but the loopback, no keys and no home of whoever runs the tests.
import { mkdtempSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

for (const name of Object.keys(process.env)) {
  if (/_(API_KEY|BASE_URL|MODEL_NAME)$/.test(name)) delete process.env[name];
}
process.env.REIN_HOME = mkdtempSync(join(tmpdir(), 'rein-test-home-'));
process.env.LC_ALL = 'C.UTF-8';
delete process.env.LANG;

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/;
const connect = Socket.prototype.connect;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
  const [first] = (Array.isArray(args[0]) ? args[0] : args) as [unknown];
  const host = typeof first === 'object' && first !== null ? (first as { host?: string }).host : undefined;
  if (host !== undefined && !loopback.test(host)) throw new Error(`Tests reach no network: ${host}`);
  return Reflect.apply(connect, this, args);
} as typeof connect;
