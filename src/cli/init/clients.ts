import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, type PlatformPath, posix, win32 } from 'node:path';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { oneLine } from '../../shared/clean-text.ts';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import type { CommandContext } from '../command-context.ts';

// The clients that init connects: where their settings are, and what an entry in them is.

export const clientIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode'] as const;

export type ClientId = (typeof clientIds)[number];

export interface Client {
  readonly nextStep: string;
  /** The file with the servers that it offers in every project; undefined if it changes its settings itself. */
  readonly fileOf?: (system: System, packagesIn?: (folder: string) => readonly string[]) => string;
  /** The key of the servers there, if it is not `mcpServers`. */
  readonly serversKey?: 'servers';
}

export type System = Pick<CommandContext, 'platform' | 'environment'>;

/** The path functions of a system, which need not be the one that runs this. */
function pathsOf({ platform }: System): PlatformPath {
  return platform === 'win32' ? win32 : posix;
}

function homeOf({ platform, environment }: System): string {
  const name = platform === 'win32' ? 'USERPROFILE' : 'HOME';
  const home = environment[name];
  if (home) return home;
  throw new SettingsError(`${name} is not set`, 'It must be the path of your home folder.');
}

function settingsFolder(system: System): string {
  const { platform, environment } = system;
  const { join, isAbsolute } = pathsOf(system);
  if (platform === 'darwin') return join(homeOf(system), 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA || join(homeOf(system), 'AppData', 'Roaming');
  const { XDG_CONFIG_HOME: configured = '' } = environment;
  // XDG Base Directory Specification: a relative path is invalid and must be ignored.
  return isAbsolute(configured) ? configured : join(homeOf(system), '.config');
}

/** The folder in which init keeps what one entry refers to: its key file, and a copy of the program if it needs one. */
export function ownFolder(system: System, id: ClientId, name: string): string {
  return pathsOf(system).join(settingsFolder(system), 'academy-mcp', `${id}-${name}`);
}

/** The app does not read the usual folder if it is packaged (MSIX): Windows redirects its files. */
function claudeDesktopFolder(system: System, packagesIn: (folder: string) => readonly string[]): string {
  const usual = pathsOf(system).join(settingsFolder(system), 'Claude');
  if (system.platform !== 'win32') return usual;
  const local = system.environment.LOCALAPPDATA || win32.join(homeOf(system), 'AppData', 'Local');
  const folder = win32.join(local, 'Packages');
  const own = packagesIn(folder).find((name) => name.startsWith('Claude_'));
  return own === undefined ? usual : win32.join(folder, own, 'LocalCache', 'Roaming', 'Claude');
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

export const clients: Readonly<Record<ClientId, Client>> = {
  'claude-desktop': {
    nextStep: 'Quit Claude Desktop and start it again.',
    fileOf: (system, packagesIn = namesIn) =>
      pathsOf(system).join(claudeDesktopFolder(system, packagesIn), 'claude_desktop_config.json'),
  },
  'claude-code': { nextStep: 'Start a new session of Claude Code.' },
  cursor: {
    nextStep: 'In the settings of Cursor, check that the server is switched on.',
    fileOf: (system) => pathsOf(system).join(homeOf(system), '.cursor', 'mcp.json'),
  },
  vscode: {
    nextStep: 'In VS Code, run the command "MCP: List Servers" and start the server.',
    fileOf: (system) => pathsOf(system).join(settingsFolder(system), 'Code', 'User', 'mcp.json'),
    serversKey: 'servers',
  },
};

export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Homebrew's own path of a Node has its version, and disappears with the next upgrade. */
const inCellar = /^(.*)[\\/]Cellar[\\/]([^\\/]+)[\\/][^\\/]+[\\/]bin[\\/]node$/;

export function stableNode(runtime: string, exists: (path: string) => boolean = existsSync): string {
  const [, prefix = '', formula = ''] = inCellar.exec(runtime) ?? [];
  const linked = join(prefix, 'opt', formula, 'bin', 'node');
  return formula !== '' && exists(linked) ? linked : runtime;
}

/** Folders of npx, pnpm dlx, yarn dlx and bunx. They are emptied at any time. */
const temporaryFolder = /[\\/](_npx|dlx(-[^\\/]+)?|bunx-[^\\/]+)[\\/]/;

/** Absolute paths: clients often have another PATH. `copy`: folders to copy, since the cache of npx is emptied. */
export function serverCommand(runtime: string, program: string, folder: string) {
  if (program.endsWith('.ts')) {
    throw new SettingsError(
      'init writes the path of the built program into the settings',
      'Run npm run build, then node dist/main.js init.',
    );
  }
  const command = stableNode(runtime);
  if (!temporaryFolder.test(program)) return { command, program, copy: undefined };
  const to = join(folder, 'program');
  return { command, program: join(to, basename(program)), copy: { from: dirname(program), to } };
}

// Claude Code writes its settings itself: they are large, and it may write them at any time. `user`: for every project.

export function commandText(args: readonly string[]): string {
  const quoted = args.map((arg) => (/^[\w@%+=:,./\\-]+$/.test(arg) ? arg : `"${arg.replaceAll(/(["$`])/g, '\\$1')}"`));
  return ['claude', ...quoted].join(' ');
}

export function addArguments(name: string, { command, args, env }: ServerEntry): string[] {
  const variables = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  return ['mcp', 'add', name, '--scope', 'user', ...variables, '--', command, ...args];
}

export function removeArguments(name: string): string[] {
  return ['mcp', 'remove', name, '--scope', 'user'];
}

/** Runs Claude Code. Throws `SettingsError` with the command for a person to run, if it cannot be run or fails. */
export function runClaude(args: readonly string[], { environment }: System): void {
  const { error, status, stderr } = spawnSync('claude', args, { env: { ...environment }, encoding: 'utf8' });
  const hint = `Run this command yourself: ${commandText(args)}`;
  if (error !== undefined)
    throw new SettingsError('Claude Code could not be started: the command claude is not on your PATH', hint);
  if (status !== 0) throw new SettingsError(`Claude Code refused the change: ${oneLine(stderr, 300)}`, hint);
}

/** Replaces the server if there is one: Claude Code adds no second one of the same name. */
export function addToClaude(name: string, entry: ServerEntry, system: System): void {
  try {
    runClaude(removeArguments(name), system);
  } catch {}
  runClaude(addArguments(name, entry), system);
}

// The settings file of a client: JSON with comments, which other programs and people write, too.

/** Windows editors put it first. It is not JSON, and stays where it is. */
const byteOrderMark = '\uFEFF';

export interface EntryLocation {
  readonly file: string;
  readonly serversKey: string;
  readonly name: string;
}

function refuse(file: string, problem: string, hint = 'Correct the file, then try again.'): never {
  throw new SettingsError(`${file} ${problem}; nothing was changed`, hint);
}

/** The text of a file; empty if there is none. Throws `SettingsError` if it is not UTF-8. */
function readText(file: string): string {
  if (!existsSync(file)) return '';
  try {
    // `ignoreBOM` keeps a byte order mark, so that the same bytes are written again.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    if (error instanceof TypeError) refuse(file, 'is not a text file in UTF-8');
    throw error;
  }
}

function serversIn(text: string, { file, serversKey }: EntryLocation): Readonly<Record<string, unknown>> {
  const errors: ParseError[] = [];
  const root: unknown =
    text.trim() === '' ? {} : parse(text.replace(byteOrderMark, ''), errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) refuse(file, `is not valid JSON (line ${text.slice(0, error.offset).split('\n').length})`);
  if (!isObject(root)) refuse(file, 'is not a JSON object');
  const { [serversKey]: servers = {} } = root;
  return isObject(servers) ? servers : refuse(file, `has "${serversKey}" that are not an object`);
}

/** Whether an entry starts this program, however it was written: by init, by a button or by hand. */
export const startsAcademy = (entry: unknown) => /academy-mcp|"ACADEMY_\w+":/.test(JSON.stringify(entry));

/** Whether the file has the server. Throws `SettingsError` for a file or an entry that init must not change. */
export function hasEntry(location: EntryLocation): boolean {
  const entry = serversIn(readText(location.file), location)[location.name];
  if (entry !== undefined && !startsAcademy(entry))
    refuse(location.file, `has a server "${location.name}" that starts another program`, 'Rename that entry first.');
  return entry !== undefined;
}

/** Sets a server or, with undefined, removes it. Comments and other settings stay. */
export function withEntry(text: string, { serversKey, name }: EntryLocation, entry: ServerEntry | undefined): string {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  const insertSpaces = !indent.startsWith('\t');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const formattingOptions = { insertSpaces, tabSize: insertSpaces ? indent.length : 1, eol };
  return applyEdits(text, modify(text, [serversKey, name], entry, { formattingOptions }));
}

const backupOf = (file: string) => `${file}.academy-mcp-backup`;

/** Writes the settings and, before, a copy of the old ones. Returns what it did. Only the owner can read a new file. */
export function writeEntry(location: EntryLocation, entry: ServerEntry | undefined): string[] {
  const { file, name } = location;
  const before = readText(file);
  const after = withEntry(before, location, entry);
  if (after === before) return [`${file} has this server already; it was not changed.`];
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const backup = existsSync(file) ? [`The file as it was before: ${backupOf(file)}`] : [];
  if (existsSync(file)) copyFileSync(file, backupOf(file));
  writeFileSync(file, after, { mode: 0o600 });
  return [
    entry === undefined ? `Removed the server "${name}" from ${file}.` : `Wrote the server "${name}" to ${file}.`,
    ...backup,
  ];
}
