#!/usr/bin/env node
// Starts the program. Written so that an old Node (12 and up) can read it and say in plain words what is missing.

/** The first Node whose built-in SQLite is new enough for the store. */
const wanted = [24, 15];
const root = new URL('..', import.meta.url);
// An import of these would read every export they have, and load streams for a tenth of the time a start takes.
const builtIn = process.getBuiltinModule;

if (isOld(process.versions.node)) void startWithOwnNode();
else if (!builtIn('node:fs').existsSync(new URL('dist/cli.js', root))) fail('notBuilt');
else start();

function start() {
  // Without the cache everything works, only slower.
  try {
    const path = builtIn('node:path');
    const home = process.env.REIN_HOME || path.join(userHome(), '.rein');
    const cache = path.join(home, 'cache');
    [home, cache].forEach(keepPrivate);
    builtIn('node:module').enableCompileCache(cache);
  } catch (_error) {}

  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (/^SQLite is an experimental feature/.test((warning && warning.message) || warning)) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };

  void import('../dist/cli.js');
}

/** An empty HOME would make it a folder of wherever one is. */
function userHome() {
  const os = builtIn('node:os');
  return os.homedir() || os.userInfo().homedir;
}

/** What is kept there is for its owner alone; the cache would make the folder for everybody. */
function keepPrivate(folder) {
  const fs = builtIn('node:fs');
  makeFolder(fs, folder);
  if ((fs.statSync(folder).mode & 0o077) !== 0 && isOurs(fs, folder)) fs.chmodSync(folder, 0o700);
}

/** Somebody may have named a folder of the system's, or of other things, as home: that one stays as it is. */
function isOurs(fs, folder) {
  if ((fs.statSync(folder).mode & 0o1000) !== 0) return false;
  const names = fs.readdirSync(folder);
  return names.length === 0 || names.includes('rein.db');
}

/** One folder after the other: asked to make all of them, Node never comes back from a system that makes none. */
function makeFolder(fs, folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(fs, builtIn('node:path').dirname(folder));
  try {
    fs.mkdirSync(folder, 0o700);
  } catch (error) {
    if (!fs.existsSync(folder)) throw error;
  }
}

function isOld(version) {
  const parts = version.split('.').map(Number);
  return parts[0] < wanted[0] || (parts[0] === wanted[0] && parts[1] < wanted[1]);
}

/** In a checkout, a fitting Node lies in node_modules. */
async function startWithOwnNode() {
  const file = new URL(`node_modules/node/bin/${process.platform === 'win32' ? 'node.exe' : 'node'}`, root);
  const [fs, { fileURLToPath }] = await Promise.all([import('node:fs'), import('node:url')]);
  if (!fs.existsSync(file)) return fail('oldNode');
  const { spawn } = await import('node:child_process');
  const child = spawn(fileURLToPath(file), process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends its signals to both processes by itself.
  const forward = (signal) => process.on(signal, () => child.kill(signal));
  const ignore = (signal) => process.on(signal, () => {});
  ['SIGTERM', 'SIGHUP'].forEach(forward);
  ['SIGINT', 'SIGQUIT'].forEach(process.stdin.isTTY ? ignore : forward);
  child.on('error', () => fail('oldNode'));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** The dictionary is in the bundle, which an old Node cannot load; these few sentences stand here alone. */
function fail(key) {
  const texts = {
    en: {
      oldNode: [
        'Rein needs Node.js {wanted} or newer; this is {version}.',
        'Install it from https://nodejs.org or with "nvm install {major}", then try again.',
      ],
      notBuilt: ['Rein is not built yet. Run "npm ci" in {root}'],
    },
    'zh-CN': {
      oldNode: [
        'Rein 需要 Node.js {wanted} 或更新版本，当前运行的是 {version}。',
        '请从 https://nodejs.org 安装，或运行 "nvm install {major}"，然后重试。',
      ],
      notBuilt: ['Rein 尚未构建。请运行 "npm ci"，目录：{root}'],
    },
    'zh-TW': {
      oldNode: [
        'Rein 需要 Node.js {wanted} 或更新版本，目前執行的是 {version}。',
        '請從 https://nodejs.org 安裝，或執行 "nvm install {major}"，然後再試一次。',
      ],
      notBuilt: ['Rein 尚未建置。請執行 "npm ci"，目錄：{root}'],
    },
  };
  const about = { wanted: wanted.join('.'), major: wanted[0], version: process.versions.node };
  const values = builtIn ? { ...about, root: builtIn('node:url').fileURLToPath(root) } : about;
  const text = texts[language()][key].join('\n').replace(/\{(\w+)\}/g, (_match, name) => values[name]);
  console.error(text);
  process.exit(1);
}

function language() {
  const locale = process.env.LC_ALL || process.env.LANG || '';
  if (!/^zh/i.test(locale)) return 'en';
  return /(TW|HK|MO|Hant)/i.test(locale) ? 'zh-TW' : 'zh-CN';
}
