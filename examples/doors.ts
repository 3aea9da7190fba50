// Small doors of the library: a provider by name, the configuration, texts in three languages, the registry of tools.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHarness, createProvider, loadConfig, saveConfig, type ToolName, t } from 'rein';

// They use `$REIN_HOME`, as the command line does; here it is a folder of the example's own.
const before = process.env.REIN_HOME;
const home = mkdtempSync(join(tmpdir(), 'rein-doors-'));
process.env.REIN_HOME = home;
try {
  await saveConfig({ lang: 'zh-TW', provider: 'offline' });
  const { lang, provider: name } = await loadConfig();
  assert.deepEqual([lang, name], ['zh-TW', 'offline']);
  await assert.rejects(saveConfig({ lang: 'xx' }), { code: 'E_CONFIG_INVALID' });

  const { provider, model } = await createProvider('offline');
  assert.deepEqual([provider.name, model], ['offline', 'rules']);
  assert.deepEqual(await provider.testConnection(AbortSignal.timeout(1000)), { ok: true, detail: 'OK' });

  assert.deepEqual([t('you', 'en'), t('you', 'zh')], ['You', '你']);

  const harness = await createHarness({ home, cwd: home });
  const tools = await harness.tools();
  const wanted: ToolName = 'read_file';
  assert.ok(tools.names().includes(wanted));
  assert.equal(tools.get(wanted)?.risk, 'read');
  assert.equal(tools.getAll().size, tools.names().length);
  await harness.close();
} finally {
  if (before === undefined) delete process.env.REIN_HOME;
  else process.env.REIN_HOME = before;
  rmSync(home, { recursive: true, force: true });
}
