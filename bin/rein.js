#!/usr/bin/env node
// Starts the program. Written so that an old Node (12 and up) can read it and say in plain words what is missing.
import fs from 'node:fs';
import module from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first Node whose built-in SQLite is new enough for the store. */
const wanted = [24, 15];
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

if (isOld(process.versions.node)) startWithOwnNode();
else if (!fs.existsSync(path.join(root, 'dist', 'cli.js'))) fail('notBuilt');
else start();

function start() {
  // Without the cache everything works, only slower.
  try {
    const home = process.env.REIN_HOME || path.join(os.homedir(), '.rein');
    const cache = path.join(home, 'cache');
    [home, cache].forEach(keepPrivate);
    module.enableCompileCache(cache);
  } catch (_error) {}

  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    if (/^SQLite is an experimental feature/.test((warning && warning.message) || warning)) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };

  void import('../dist/cli.js');
}

/** What is kept there is for its owner alone; the cache would make the folder for everybody. */
function keepPrivate(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if ((fs.statSync(folder).mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
}

function isOld(version) {
  const parts = version.split('.').map(Number);
  return parts[0] < wanted[0] || (parts[0] === wanted[0] && parts[1] < wanted[1]);
}

/** In a checkout, a fitting Node lies in node_modules. */
function startWithOwnNode() {
  const node = path.join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!fs.existsSync(node)) return fail('oldNode');
  // Loaded here, because every other start would pay for it too.
  void import('node:child_process').then(({ spawn }) => {
    const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
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
  const values = { wanted: wanted.join('.'), major: wanted[0], version: process.versions.node, root };
  const text = texts[language()][key].join('\n').replace(/\{(\w+)\}/g, (_match, name) => values[name]);
  console.error(text);
  process.exit(1);
}

function language() {
  const locale = process.env.LC_ALL || process.env.LANG || '';
  if (!/^zh/i.test(locale)) return 'en';
  return /(TW|HK|MO|Hant)/i.test(locale) ? 'zh-TW' : 'zh-CN';
}
