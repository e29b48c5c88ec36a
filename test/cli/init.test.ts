import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import {
  clients,
  ownFolder,
  type ServerEntry,
  type System,
  serverCommand,
  stableNode,
  startsAcademy,
  withEntry,
} from '../../src/cli/init/clients.ts';

const place = { file: 'mcp.json', serversKey: 'mcpServers', name: 'academy' };
const entry: ServerEntry = { command: '/usr/bin/node', args: ['/a/main.js'], env: { ACADEMY_TIMEZONE: 'UTC' } };

const commented = `// Servers of the team
{
\t"mcpServers": {
\t\t// do not remove
\t\t"files": { "command": "npx", "args": ["-y", "files"], }, /* trailing comma */
\t},
\t"theme": "dark", // mine
}
`;

test('comments, tabs, trailing commas and other settings stay', () => {
  const after = withEntry(commented, place, entry);
  for (const kept of [
    '// Servers of the team',
    '// do not remove',
    '/* trailing comma */',
    '\t"theme": "dark", // mine',
  ])
    expect(after).toContain(kept);
  expect(after).toContain('\n\t\t"academy": {\n\t\t\t"command": "/usr/bin/node"');
  const servers = { files: { command: 'npx', args: ['-y', 'files'] } };
  expect(parse(after)).toEqual({ mcpServers: { ...servers, academy: entry }, theme: 'dark' });
  const without = withEntry(after, place, undefined);
  expect(parse(without)).toEqual({ mcpServers: servers, theme: 'dark' });
  expect(without).toContain('// do not remove');
});

test('a second run changes nothing, whatever the format', () => {
  for (const text of ['', '{}', commented, '{"mcpServers":{}}', '{\r\n    "a": 1\r\n}\r\n', '\uFEFF{ "a": 1 }']) {
    const once = withEntry(text, place, entry);
    expect(withEntry(once, place, entry), text).toBe(once);
    expect(once.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    if (text.includes('\r\n')) expect(once.replaceAll('\r\n', '')).not.toContain('\n');
  }
});

const json = fc.object({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const indents = fc.constantFrom(undefined, 2, 4, '\t');

test('any other JSON keeps its values through a run and a removal', () => {
  fc.assert(
    fc.property(json, json, indents, fc.boolean(), (servers, rest, indent, isWindows) => {
      const { academy: _, ...files } = servers;
      const all = { ...rest, mcpServers: files };
      const text = JSON.stringify(all, undefined, indent).replaceAll('\n', isWindows ? '\r\n' : '\n');
      const once = withEntry(text, place, entry);
      expect(JSON.parse(once)).toEqual({ ...all, mcpServers: { ...files, academy: entry } });
      expect(JSON.parse(withEntry(once, place, undefined))).toEqual(all);
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('an entry of this program is recognized however it was written, and another one is not', () => {
  for (const ours of [
    entry,
    { command: 'npx', args: ['-y', 'academy-mcp'] },
    { command: 'C:\\tools\\academy-mcp.cmd' },
    { command: 'node', args: ['/x/main.js', '--sandbox'], env: { ACADEMY_TIMEZONE: 'UTC' } },
  ]) {
    expect(startsAcademy(ours)).toBe(true);
  }
  for (const other of [
    { url: 'https://academy.test/mcp' },
    { command: 'python', args: ['academy.py'] },
    'text',
    null,
  ]) {
    expect(startsAcademy(other)).toBe(false);
  }
});

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

const desktop = clients['claude-desktop'];

function files(system: System): (string | undefined)[] {
  return [desktop, clients.cursor, clients.vscode].map(({ fileOf }) => fileOf?.(system));
}

test('the settings files of Claude Desktop, Cursor and VS Code on Linux', () => {
  expect(files(linux)).toEqual([
    '/home/ana/.config/Claude/claude_desktop_config.json',
    '/home/ana/.cursor/mcp.json',
    '/home/ana/.config/Code/User/mcp.json',
  ]);
  expect(ownFolder(linux, 'claude-desktop', 'academy')).toBe('/home/ana/.config/academy-mcp/claude-desktop-academy');
});

test('on macOS', () => {
  expect(files(mac)).toEqual([
    '/Users/ana/Library/Application Support/Claude/claude_desktop_config.json',
    '/Users/ana/.cursor/mcp.json',
    '/Users/ana/Library/Application Support/Code/User/mcp.json',
  ]);
  expect(ownFolder(mac, 'claude-desktop', 'academy')).toMatch(
    /^\/Users\/ana\/Library\/Application Support\/academy-mcp\//,
  );
});

test('on Windows', () => {
  expect(files(windows)).toEqual([
    'C:\\Users\\ana\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    'C:\\Users\\ana\\.cursor\\mcp.json',
    'C:\\Users\\ana\\AppData\\Roaming\\Code\\User\\mcp.json',
  ]);
  expect(ownFolder(windows, 'claude-desktop', 'academy')).toContain('C:\\Users\\ana\\AppData\\Roaming\\academy-mcp\\');
  const bare: System = { platform: 'win32', environment: { USERPROFILE: 'C:\\Users\\ana' } };
  expect(files(bare)).toEqual(files(windows));
});

test('a packaged Claude Desktop on Windows reads its settings in the folder of its package', () => {
  const packages = ['Microsoft.WindowsTerminal_8wekyb3d8bbwe', 'Claude_pzs8sxrjxfjjc'];
  expect(desktop.fileOf?.(windows, () => packages)).toBe(
    'C:\\Users\\ana\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json',
  );
});

test('folders that the user has moved are used', () => {
  const moved: System = {
    platform: 'linux',
    environment: { HOME: '/home/ana', XDG_CONFIG_HOME: '/cfg' },
  };
  expect(files(moved)).toEqual([
    '/cfg/Claude/claude_desktop_config.json',
    '/home/ana/.cursor/mcp.json',
    '/cfg/Code/User/mcp.json',
  ]);
  const relative: System = { platform: 'linux', environment: { HOME: '/home/ana', XDG_CONFIG_HOME: 'cfg' } };
  expect(files(relative)).toEqual(files(linux));
});

test('without a home folder the error names the variable', () => {
  expect(() => ownFolder({ platform: 'linux', environment: {} }, 'claude-desktop', 'academy')).toThrow(
    'HOME is not set',
  );
  expect(() => ownFolder({ platform: 'win32', environment: {} }, 'claude-desktop', 'academy')).toThrow(
    'USERPROFILE is not set',
  );
});

const folder = '/home/ana/.config/academy-mcp/cursor-academy';
const copy = join(folder, 'program');

test('an installed program is named where it is', () => {
  for (const program of ['/work/academy-mcp/dist/main.js', '/usr/lib/node_modules/academy-mcp/dist/main.js']) {
    expect(serverCommand('/usr/bin/node', program, folder)).toEqual({
      command: '/usr/bin/node',
      program,
      copy: undefined,
    });
  }
});

test('a program in the cache of npx, pnpm, yarn or bun is copied, since that cache is temporary', () => {
  for (const cache of [
    '/home/ana/.npm/_npx/8f3a',
    '/home/ana/.cache/pnpm/dlx/9c/1',
    '/tmp/xfs-1/dlx-77',
    '/tmp/bunx-0-a',
  ]) {
    const dist = `${cache}/node_modules/academy-mcp/dist`;
    expect(serverCommand('/usr/bin/node', `${dist}/main.js`, folder)).toEqual({
      command: '/usr/bin/node',
      program: join(copy, 'main.js'),
      copy: { from: dist, to: copy },
    });
  }
});

test('the source is refused: a client cannot start it', () => {
  expect(() => serverCommand('/usr/bin/node', '/work/src/main.ts', folder)).toThrow('the path of the built program');
});

test('the Node of Homebrew is named by the path that survives an upgrade', () => {
  const cellar = '/opt/homebrew/Cellar/node@22/22.11.0/bin/node';
  expect(stableNode(cellar, () => true)).toBe(join('/opt/homebrew/opt/node@22/bin/node'));
  expect(stableNode(cellar, () => false)).toBe(cellar);
  expect(stableNode('/home/ana/.nvm/versions/node/v22.11.0/bin/node', () => true)).toContain('.nvm');
});
