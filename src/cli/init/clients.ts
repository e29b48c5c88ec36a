import { homeOf, pathsOf, type System, settingsFolder, windowsPackages } from './places.ts';

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

const clientList: readonly Client[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    serversKey: 'mcpServers',
    hasType: false,
    keepsSecrets: false,
    nextStep: 'Quit Claude Desktop and start it again.',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    serversKey: 'mcpServers',
    hasType: true,
    keepsSecrets: false,
    nextStep: 'Start a new session of Claude Code.',
  },
  {
    id: 'cursor',
    name: 'Cursor',
    serversKey: 'mcpServers',
    hasType: false,
    keepsSecrets: false,
    nextStep: 'In the settings of Cursor, check that the server is switched on.',
  },
  {
    id: 'vscode',
    name: 'VS Code',
    serversKey: 'servers',
    hasType: true,
    keepsSecrets: true,
    nextStep: 'In VS Code, run the command "MCP: List Servers" and start the server.',
  },
];

export function clientOf(id: ClientId): Client {
  const client = clientList.find((one) => one.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  return client;
}

/**
 * The folder of Claude Desktop. Windows redirects the files of a packaged app (MSIX) to a folder of its package, and the
 * app does not read the usual one. `packages` are the names of the packages of this user.
 */
function claudeDesktopFolder(system: System, packages: readonly string[]): string {
  const { join } = pathsOf(system);
  const folder = windowsPackages(system);
  const own = packages.find((name) => name.startsWith('Claude_'));
  if (folder === undefined || own === undefined) return join(settingsFolder(system), 'Claude');
  return join(folder, own, 'LocalCache', 'Roaming', 'Claude');
}

/** The file with the servers that a client offers in every project. `packages`: see `claudeDesktopFolder`. */
export function settingsFileOf(id: ClientId, system: System, packages: readonly string[] = []): string {
  const { join } = pathsOf(system);
  switch (id) {
    case 'claude-desktop':
      return join(claudeDesktopFolder(system, packages), 'claude_desktop_config.json');
    case 'claude-code':
      return join(system.environment.CLAUDE_CONFIG_DIR || homeOf(system), '.claude.json');
    case 'cursor':
      return join(homeOf(system), '.cursor', 'mcp.json');
    case 'vscode':
      return join(settingsFolder(system), 'Code', 'User', 'mcp.json');
  }
}
