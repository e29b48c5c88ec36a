import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, type PlatformPath, posix, resolve, sep, win32 } from 'node:path';
import type { Environment } from '../../config/setting-sources.ts';
import { SettingsError } from '../../shared/errors.ts';
import { isObject } from '../../shared/json.ts';
import { version } from '../../version.ts';

// The clients that init connects: where their settings are, and what an entry in them is.

export const clientIds = ['claude-desktop', 'claude-code', 'cursor', 'vscode'] as const;

export type ClientId = (typeof clientIds)[number];

/** How a client keeps its MCP servers. */
export interface Client {
  readonly id: ClientId;
  readonly name: string;
  /** The key of the servers in its settings. */
  readonly serversKey: 'mcpServers' | 'servers';
  /** Whether an entry names its transport. */
  readonly hasType: boolean;
  /** Whether it asks for secrets and keeps them outside of its settings file. */
  readonly keepsSecrets: boolean;
  /** What to do after the settings were written. */
  readonly nextStep: string;
}

const plain = { serversKey: 'mcpServers', hasType: false, keepsSecrets: false } as const;

const clients: Readonly<Record<ClientId, Client>> = {
  'claude-desktop': {
    ...plain,
    id: 'claude-desktop',
    name: 'Claude Desktop',
    nextStep: 'Quit Claude Desktop and start it again.',
  },
  'claude-code': {
    ...plain,
    id: 'claude-code',
    name: 'Claude Code',
    hasType: true,
    nextStep: 'Start a new session of Claude Code.',
  },
  cursor: {
    ...plain,
    id: 'cursor',
    name: 'Cursor',
    nextStep: 'In the settings of Cursor, check that the server is switched on.',
  },
  vscode: {
    id: 'vscode',
    name: 'VS Code',
    serversKey: 'servers',
    hasType: true,
    keepsSecrets: true,
    nextStep: 'In VS Code, run the command "MCP: List Servers" and start the server.',
  },
};

export function clientOf(id: ClientId): Client {
  return clients[id];
}

/** What decides where a user's files are. */
export interface System {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
}

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

/** The folder in which programs keep their settings of one user. */
function settingsFolder(system: System): string {
  const { platform, environment } = system;
  const { join, isAbsolute } = pathsOf(system);
  if (platform === 'darwin') return join(homeOf(system), 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA || join(homeOf(system), 'AppData', 'Roaming');
  const { XDG_CONFIG_HOME: configured = '' } = environment;
  // XDG Base Directory Specification: a relative path is invalid and must be ignored.
  return isAbsolute(configured) ? configured : join(homeOf(system), '.config');
}

/** The folder in which init keeps what entries refer to: key files, and a copy of the program if it needs one. */
export function ownFolder(system: System): string {
  return pathsOf(system).join(settingsFolder(system), 'academy-mcp');
}

/**
 * The folder of Claude Desktop. Windows redirects the files of a packaged app (MSIX) to a folder of its package, and the
 * app does not read the usual one.
 */
function claudeDesktopFolder(system: System, packagesIn: (folder: string) => readonly string[]): string {
  const usual = pathsOf(system).join(settingsFolder(system), 'Claude');
  if (system.platform !== 'win32') return usual;
  const local = system.environment.LOCALAPPDATA || win32.join(homeOf(system), 'AppData', 'Local');
  const folder = win32.join(local, 'Packages');
  const own = packagesIn(folder).find((name) => name.startsWith('Claude_'));
  return own === undefined ? usual : win32.join(folder, own, 'LocalCache', 'Roaming', 'Claude');
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

/** The file with the servers that a client offers in every project. */
export function settingsFileOf(id: ClientId, system: System, packagesIn = namesIn): string {
  const { join } = pathsOf(system);
  switch (id) {
    case 'claude-desktop':
      return join(claudeDesktopFolder(system, packagesIn), 'claude_desktop_config.json');
    case 'claude-code':
      return join(system.environment.CLAUDE_CONFIG_DIR || homeOf(system), '.claude.json');
    case 'cursor':
      return join(homeOf(system), '.cursor', 'mcp.json');
    case 'vscode':
      return join(settingsFolder(system), 'Code', 'User', 'mcp.json');
  }
}

/** A server in the settings of a client. */
export interface ServerEntry {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A secret that VS Code asks for and keeps. */
export const keyInput = {
  type: 'promptString',
  id: 'academy-api-key',
  description: "API key of the academy (Account Settings, the user's api_key)",
  password: true,
} as const;

/** What VS Code replaces with the secret. */
export const keyReference = `\${input:${keyInput.id}}`;

export function usesKeyInput(entry: unknown): boolean {
  return isObject(entry) && isObject(entry.env) && Object.values(entry.env).includes(keyReference);
}

/** With --sandbox the entry has a name of its own, so that made-up and real data can be side by side. */
export function entryName(isSandbox: boolean): string {
  return isSandbox ? 'academy-sandbox' : 'academy';
}

/** Whether an entry starts this program, however it was written: by init, by a button or by hand. */
export function startsAcademy(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { command, args, env } = entry;
  const words: unknown[] = [command, ...(Array.isArray(args) ? args : [])];
  const isNamed = words.some((word) => typeof word === 'string' && word.includes('academy-mcp'));
  return isNamed || (isObject(env) && Object.keys(env).some((name) => name.startsWith('ACADEMY_')));
}

/** Homebrew's own path of a Node has its version, and disappears with the next upgrade. */
const inCellar = /^(.*)[\\/]Cellar[\\/]([^\\/]+)[\\/][^\\/]+[\\/]bin[\\/]node$/;

/** The path of Node that survives upgrades, as far as there is one. */
export function stableNode(runtime: string, exists: (path: string) => boolean = existsSync): string {
  const [, prefix = '', formula = ''] = inCellar.exec(runtime) ?? [];
  const linked = join(prefix, 'opt', formula, 'bin', 'node');
  return formula !== '' && exists(linked) ? linked : runtime;
}

/** Folders of npx, pnpm dlx, yarn dlx and bunx. They are emptied at any time. */
const temporaryFolder = /[\\/](_npx|dlx(-[^\\/]+)?|bunx-[^\\/]+)[\\/]/;

export interface ServerCommand {
  /** Absolute path of Node. Clients often have another PATH than a terminal. */
  readonly command: string;
  /** Absolute path of the program. */
  readonly program: string;
  /** Folders to copy, so that the program stays when the cache of npx is emptied. */
  readonly copy: { readonly from: string; readonly to: string } | undefined;
}

/** How a client starts this program. `folder` is where a copy of it can be kept. */
export function serverCommand(runtime: string, program: string, folder: string): ServerCommand {
  if (program.endsWith('.ts')) {
    throw new SettingsError(
      'init writes the path of the built program into the settings',
      'Run npm run build, then node dist/main.js init.',
    );
  }
  const command = stableNode(runtime);
  if (!temporaryFolder.test(program)) return { command, program, copy: undefined };
  const from = dirname(program);
  const to = join(folder, `program-${version}`);
  return { command, program: join(to, program.slice(from.length + sep.length)), copy: { from, to } };
}

/** Files of init that an entry refers to: its key file, and the copy of the program. */
export function ownFilesOf(entry: unknown, folder: string): string[] {
  if (!isObject(entry)) return [];
  const key = isObject(entry.env) ? entry.env.ACADEMY_API_KEY_FILE : undefined;
  const [program] = Array.isArray(entry.args) ? entry.args : [];
  const copy = typeof program === 'string' ? dirname(resolve(program)) : '';
  return [
    ...(typeof key === 'string' && dirname(key) === folder ? [key] : []),
    ...(dirname(copy) === resolve(folder) && /[\\/]program-[^\\/]+$/.test(copy) ? [copy] : []),
  ];
}
