/**
 * What of a folder can run something or configure Rein, piece by piece, so that one that changes is asked about alone.
 * Links are never followed: what lies elsewhere is not the folder's.
 */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../lib/is-object.ts';
import { findNamedFiles, type NamedFile } from './named-files.ts';

export interface TrustItem {
  /** Path below the folder, and for a piece of a file `#` and its key: `.rein/config.json#hooks.PreToolUse`. */
  readonly id: string;
  readonly kind: 'setting' | 'server' | 'hook' | 'code';
  /** All of it, as text. */
  readonly text: string;
  /** SHA-256, hexadecimal, of it and of the files of the folder that its commands name. */
  readonly hash: string;
  /** Of a hook or server: the files that its commands name, as they were. */
  readonly files?: readonly NamedFile[];
}

export interface FoundItems {
  readonly items: readonly TrustItem[];
  /** The text of `.rein/config.json` that the items were made of. */
  readonly config?: string;
}

/** Reads JSON, with comments where they are allowed. */
export type ParseJson = (text: string, file: string) => Promise<unknown>;

const configFile = '.rein/config.json';
const serverFiles = ['.mcp.json', 'mcp.json', 'mcp_servers.json'];
const hookFiles = ['.claude/settings.json', '.claude/settings.local.json'];
const codeFolders = ['tools', 'middleware', 'hooks', 'providers', 'commands'].map((name) => `.rein/${name}`);
/** A project with more has not written it by hand; what is beyond is never loaded. */
const maxFiles = 500;
const maxBytes = 1_000_000;

/** In order of their ids. What cannot be read or understood is no item and so never in force. */
export async function findTrustItems(folder: string, parse: ParseJson): Promise<FoundItems> {
  const config = await readOwnFile(folder, configFile);
  const items: TrustItem[] = [];
  if (config !== undefined) items.push(...configItems(await parseQuietly(parse, config, configFile)));
  for (const file of serverFiles) {
    const content = await parseQuietly(parse, await readOwnFile(folder, file), file);
    for (const [name, server] of serversOf(content)) items.push(toItem(`${file}#${name}`, 'server', server));
  }
  for (const file of hookFiles) {
    const content = await parseQuietly(parse, await readOwnFile(folder, file), file);
    items.push(...pieces(`${file}#hooks`, 'hook', isObject(content) ? content.hooks : undefined));
  }
  for (const file of await codeFiles(folder)) {
    const text = await readOwnFile(folder, file);
    if (text !== undefined) items.push({ id: file, kind: 'code', text, hash: hashOf(text) });
  }
  const bound = await Promise.all(items.map((item) => bindFiles(folder, item)));
  bound.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { items: bound, ...(config !== undefined && { config }) };
}

/** A project's configuration without the pieces that are not in force. */
export function onlyInForce<T extends object>(config: T, allows: (id: string) => boolean): T {
  const keep = (values: unknown, prefix: string, always: readonly string[] = []): unknown => {
    if (!isObject(values)) return values;
    const kept = Object.entries(values).filter(([name]) => always.includes(name) || allows(`${prefix}${name}`));
    return Object.fromEntries(kept);
  };
  const entries = Object.entries(config).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'permissions') return [[key, keep(value, `${configFile}#permissions.`, ['deny', 'ask'])]];
    if (key === 'hooks' || key === 'mcpServers') return [[key, keep(value, `${configFile}#${key}.`)]];
    return key === '$schema' || allows(`${configFile}#${key}`) ? [[key, value]] : [];
  });
  return Object.fromEntries(entries) as T;
}

/** SHA-256 of a text, hexadecimal. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Deny and ask rules need no trust: they only narrow. */
function configItems(content: unknown): TrustItem[] {
  if (!isObject(content)) return [];
  const { $schema, permissions, hooks, mcpServers, ...settings } = content;
  const { deny, ask, ...permitted } = isObject(permissions) ? permissions : {};
  return [
    ...pieces(`${configFile}#hooks`, 'hook', hooks),
    ...pieces(`${configFile}#mcpServers`, 'server', mcpServers),
    ...pieces(`${configFile}#permissions`, 'setting', permitted),
    ...Object.entries(settings).map(([key, value]) => toItem(`${configFile}#${key}`, 'setting', value)),
  ];
}

function pieces(prefix: string, kind: TrustItem['kind'], values: unknown): TrustItem[] {
  if (!isObject(values)) return [];
  return Object.entries(values).map(([name, value]) => toItem(`${prefix}.${name}`, kind, value));
}

/** A map of servers, one below `mcpServers` or `servers`, or a list of servers with names. */
function serversOf(content: unknown): [string, unknown][] {
  if (Array.isArray(content)) {
    return content.map((server, index) => {
      const name = isObject(server) && typeof server.name === 'string' ? server.name : String(index);
      return [name, server];
    });
  }
  if (!isObject(content)) return [];
  const inner = content.mcpServers ?? content.servers ?? content;
  return Array.isArray(inner) ? serversOf(inner) : isObject(inner) ? Object.entries(inner) : [];
}

function toItem(id: string, kind: TrustItem['kind'], value: unknown): TrustItem {
  const text = JSON.stringify(value, null, 2);
  return { id, kind, text, hash: hashOf(text) };
}

/** Who changes the script that a hook or server runs changes the hook or server. */
async function bindFiles(folder: string, item: TrustItem): Promise<TrustItem> {
  if (item.kind !== 'hook' && item.kind !== 'server') return item;
  const files = await findNamedFiles(folder, textsOf(JSON.parse(item.text)));
  const lines = files.flatMap(({ name, hash }) => (hash === undefined ? [] : [`${name} ${hash}`]));
  return { ...item, files, ...(lines.length > 0 && { hash: hashOf([item.text, ...lines].join('\n')) }) };
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Every file in the folders of extensions: any of them may be imported by another. */
async function codeFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(join(folder, path), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= maxFiles) return;
      if (entry.isDirectory()) await visit(`${path}/${entry.name}`);
      else if (entry.isFile()) found.push(`${path}/${entry.name}`);
    }
  };
  for (const path of codeFolders) if (await isOwnFolder(folder, path)) await visit(path);
  return found;
}

/** No part of the path is a link. */
async function isOwnFolder(folder: string, path: string): Promise<boolean> {
  let at = folder;
  for (const name of path.split('/')) {
    at = join(at, name);
    if (!(await lstat(at).catch(() => undefined))?.isDirectory()) return false;
  }
  return true;
}

async function readOwnFile(folder: string, path: string): Promise<string | undefined> {
  const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  if (above !== '' && !(await isOwnFolder(folder, above))) return undefined;
  try {
    await using file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await file.readFile());
  } catch {
    return undefined;
  }
}

async function parseQuietly(parse: ParseJson, text: string | undefined, file: string): Promise<unknown> {
  if (text === undefined) return undefined;
  return parse(text.replace(/^\uFEFF/, ''), file).catch(() => undefined);
}
