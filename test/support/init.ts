import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { parse } from 'jsonc-parser';
import type { ClientId } from '../../src/cli/init/clients.ts';
import { runHere } from './command-line.ts';
import { startServer } from './package-client.ts';
import type { Ended } from './program.ts';
import { start, temporaryFolder } from './sandbox.ts';

/** A home folder of its own, deleted after the test. */
export const makeHome = temporaryFolder;

export const academy = () => start({ students: 5, orders: 10 });

/** Where each client keeps its servers on Linux, written by hand. */
export const settingsFiles: Record<ClientId, string> = {
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  'claude-code': '.claude.json',
  cursor: '.cursor/mcp.json',
  vscode: '.config/Code/User/mcp.json',
};

/** What the command `claude` of Claude Code does with its user settings, as far as init uses it. */
const claude = `#!${process.execPath}
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.HOME + '/.claude.json';
const { mcpServers = {}, ...rest } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const [, action, name, scope, user, ...more] = process.argv.slice(2);
if (scope !== '--scope' || user !== 'user') throw new Error('another scope');
if (action === 'add' ? name in mcpServers : !(name in mcpServers)) {
  console.error('MCP server ' + name + (action === 'add' ? ' already exists' : ' not found'));
  process.exit(1);
}
if (action === 'remove') delete mcpServers[name];
else {
  const end = more.indexOf('--');
  const env = Object.fromEntries(more.slice(0, end).filter((one) => one !== '--env').map((one) => one.split(/=(.*)/s)));
  const [command, ...args] = more.slice(end + 1);
  mcpServers[name] = { type: 'stdio', command, args, env };
}
writeFileSync(file, JSON.stringify({ ...rest, mcpServers }, null, 2));
`;

/** A folder with a stand-in for the command of Claude Code, for PATH. */
export function folderWithClaude(): string {
  const folder = join(makeHome(), 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'claude'), claude);
  chmodSync(join(folder, 'claude'), 0o755);
  return folder;
}

/** Runs init in this process and a home folder of its own, with what is typed as its input. */
export async function init(
  home: string,
  args: readonly string[],
  { environment = {}, typed = '' }: { environment?: Record<string, string>; typed?: string } = {},
): Promise<Ended> {
  const stdin = new PassThrough();
  stdin.end(typed);
  return runHere(
    ['init', ...args],
    { HOME: home, PATH: folderWithClaude(), ...environment },
    { stdin, platform: 'linux' },
  );
}

/** Every file below a folder with its mode, and its content. */
export function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

interface WrittenEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export function entryIn(file: string, name = 'academy'): WrittenEntry {
  const { mcpServers, servers } = parse(readFileSync(file, 'utf8'));
  return (mcpServers ?? servers)[name];
}

/**
 * Starts an entry as a client does (no PATH, another folder, inputs replaced by `key`), asks for the account, and returns
 * its name and the number of tools.
 */
export async function askThrough(entry: WrittenEntry, key: string): Promise<{ name: unknown; tools: number }> {
  const values = Object.entries(entry.env).map(([name, value]) => [name, value.replace(/^\$\{input:.*\}$/, key)]);
  const { client, call } = await startServer(entry.command, entry.args, { PATH: '', ...Object.fromEntries(values) });
  const { tools } = await client.listTools();
  const { structured } = await call('get_account');
  return { name: JSON.stringify(structured), tools: tools.length };
}
