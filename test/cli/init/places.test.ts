import { expect, test } from 'vitest';
import { clientIds, ownFolder, type System, settingsFileOf } from '../../../src/cli/init/clients.ts';

const linux: System = { platform: 'linux', environment: { HOME: '/home/ana' } };
const mac: System = { platform: 'darwin', environment: { HOME: '/Users/ana', XDG_CONFIG_HOME: '/ignored' } };
const windows: System = {
  platform: 'win32',
  environment: {
    USERPROFILE: 'C:\\Users\\ana',
    APPDATA: 'C:\\Users\\ana\\AppData\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\ana\\AppData\\Local',
  },
};

function files(system: System): string[] {
  return clientIds.map((id) => settingsFileOf(id, system));
}

test('the settings files of Claude Desktop, Claude Code, Cursor and VS Code on Linux', () => {
  expect(files(linux)).toEqual([
    '/home/ana/.config/Claude/claude_desktop_config.json',
    '/home/ana/.claude.json',
    '/home/ana/.cursor/mcp.json',
    '/home/ana/.config/Code/User/mcp.json',
  ]);
  expect(ownFolder(linux)).toBe('/home/ana/.config/academy-mcp');
});

test('on macOS', () => {
  expect(files(mac)).toEqual([
    '/Users/ana/Library/Application Support/Claude/claude_desktop_config.json',
    '/Users/ana/.claude.json',
    '/Users/ana/.cursor/mcp.json',
    '/Users/ana/Library/Application Support/Code/User/mcp.json',
  ]);
  expect(ownFolder(mac)).toBe('/Users/ana/Library/Application Support/academy-mcp');
});

test('on Windows', () => {
  expect(files(windows)).toEqual([
    'C:\\Users\\ana\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\ana\\.claude.json',
    'C:\\Users\\ana\\.cursor\\mcp.json',
    'C:\\Users\\ana\\AppData\\Roaming\\Code\\User\\mcp.json',
  ]);
  expect(ownFolder(windows)).toBe('C:\\Users\\ana\\AppData\\Roaming\\academy-mcp');
  const bare: System = { platform: 'win32', environment: { USERPROFILE: 'C:\\Users\\ana' } };
  expect(files(bare)).toEqual(files(windows));
});

test('a packaged Claude Desktop on Windows reads its settings in the folder of its package', () => {
  const packages = ['Microsoft.WindowsTerminal_8wekyb3d8bbwe', 'Claude_pzs8sxrjxfjjc'];
  expect(settingsFileOf('claude-desktop', windows, () => packages)).toBe(
    'C:\\Users\\ana\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
  );
  expect(settingsFileOf('vscode', windows, () => packages)).toBe(settingsFileOf('vscode', windows));
});

test('folders that the user has moved are used', () => {
  const moved: System = {
    platform: 'linux',
    environment: { HOME: '/home/ana', XDG_CONFIG_HOME: '/cfg', CLAUDE_CONFIG_DIR: '/claude' },
  };
  expect(files(moved)).toEqual([
    '/cfg/Claude/claude_desktop_config.json',
    '/claude/.claude.json',
    '/home/ana/.cursor/mcp.json',
    '/cfg/Code/User/mcp.json',
  ]);
  const relative: System = { platform: 'linux', environment: { HOME: '/home/ana', XDG_CONFIG_HOME: 'cfg' } };
  expect(files(relative)).toEqual(files(linux));
});

test('without a home folder the error names the variable', () => {
  expect(() => ownFolder({ platform: 'linux', environment: {} })).toThrow('HOME is not set');
  expect(() => ownFolder({ platform: 'win32', environment: {} })).toThrow('USERPROFILE is not set');
});
