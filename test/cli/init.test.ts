import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import {
  clientIds,
  clientOf,
  keyReference,
  ownFilesOf,
  ownFolder,
  type ServerEntry,
  type System,
  serverCommand,
  settingsFileOf,
  stableNode,
  startsAcademy,
} from '../../src/cli/init/clients.ts';
import { UnusableSettings, withEntry, withoutEntry } from '../../src/cli/init/settings-file.ts';
import { version } from '../../src/version.ts';

const cursor = clientOf('cursor');
const vscode = clientOf('vscode');
const entry: ServerEntry = { command: '/usr/bin/node', args: ['/a/main.js'], env: { ACADEMY_TIMEZONE: 'UTC' } };
const asking: ServerEntry = { ...entry, type: 'stdio', env: { ACADEMY_API_KEY: keyReference } };

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
  const after = withEntry(commented, cursor, 'academy', entry);
  // The comment behind the last server is behind the new one.
  for (const line of commented.split('\n')) expect(after).toContain(line.replace(/ \/\* trailing comma.*/, ''));
  expect(after).toContain('}, /* trailing comma */');
  expect(after).toContain('\n\t\t"academy": {\n\t\t\t"command": "/usr/bin/node"');
  expect(parse(after)).toEqual({
    mcpServers: { files: { command: 'npx', args: ['-y', 'files'] }, academy: entry },
    theme: 'dark',
  });
});

test('a second run changes nothing, whatever the format', () => {
  for (const text of ['', '{}', commented, '{"mcpServers":{}}', '{\r\n    "a": 1\r\n}\r\n', '\uFEFF{ "a": 1 }']) {
    const once = withEntry(text, vscode, 'academy', asking);
    expect(withEntry(once, vscode, 'academy', asking), text).toBe(once);
    expect(once.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    if (text.includes('\r\n')) expect(once.replaceAll('\r\n', '')).not.toContain('\n');
  }
});

test('an update keeps what other people added to the entry', () => {
  const before = JSON.stringify({
    mcpServers: {
      academy: {
        command: 'node',
        args: ['/old/academy-mcp/dist/main.js'],
        env: { ACADEMY_API_KEY: 'old', HTTPS_PROXY: 'http://proxy' },
        disabledTools: ['x'],
      },
    },
  });
  expect(parse(withEntry(before, cursor, 'academy', entry)).mcpServers.academy).toEqual({
    ...entry,
    env: { HTTPS_PROXY: 'http://proxy', ...entry.env },
    disabledTools: ['x'],
  });
});

test('VS Code gets an input for the key, once, beside the inputs that are there', () => {
  const other = { type: 'promptString', id: 'other', description: 'x' };
  const once = withEntry(JSON.stringify({ inputs: [other] }), vscode, 'academy', asking);
  const { inputs } = parse(once);
  expect(inputs).toEqual([other, expect.objectContaining({ id: 'academy-api-key', password: true })]);
  expect(parse(withoutEntry(once, vscode, 'academy'))).toEqual({ inputs: [other] });
  const twice = withEntry(once, vscode, 'second', asking);
  expect(parse(twice).inputs).toHaveLength(2);
  expect(parse(withoutEntry(twice, vscode, 'academy')).inputs).toHaveLength(2);
});

const json = fc.object({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const indents = fc.constantFrom(undefined, 2, 4, '\t');

test('any other JSON keeps its values through a run and a removal', () => {
  fc.assert(
    fc.property(json, json, indents, fc.boolean(), (servers, rest, indent, isWindows) => {
      const { academy: _, ...files } = servers;
      const all = { ...rest, mcpServers: files };
      const text = JSON.stringify(all, undefined, indent).replaceAll('\n', isWindows ? '\r\n' : '\n');
      const once = withEntry(text, cursor, 'academy', entry);
      expect(JSON.parse(once)).toEqual({ ...all, mcpServers: { ...files, academy: entry } });
      expect(withEntry(once, cursor, 'academy', entry)).toBe(once);
      const left = Object.keys(files).length > 0 ? all : rest;
      expect(JSON.parse(withoutEntry(once, cursor, 'academy'))).toEqual({ ...left });
    }),
    { seed: 1, numRuns: 300 },
  );
});

test('removal takes out the entry and keeps comments', () => {
  expect(withoutEntry(withEntry(commented, cursor, 'academy', entry), cursor, 'academy')).toBe(commented);
  const noComma = commented.replace(', /* trailing', ' /* no');
  expect(withoutEntry(withEntry(noComma, cursor, 'academy', entry), cursor, 'academy')).toBe(noComma);
  const first = '{\n  // servers\n  "mcpServers": {\n    "academy": {}, // old\n    "files": {} // keep\n  }\n}\n';
  const without = withoutEntry(first, cursor, 'academy');
  expect(parse(without)).toEqual({ mcpServers: { files: {} } });
  for (const comment of ['// servers', '// keep']) expect(without).toContain(comment);
  const inline = '{"mcpServers":{"files":{},"academy":{}}}';
  expect(withoutEntry(inline, cursor, 'academy')).toBe('{"mcpServers":{"files":{}}}');
});

test('settings without an object of servers are refused, with the line of a syntax error', () => {
  for (const [text, problem] of [
    ['{\n  "a": 1,\n  oops\n}', 'is not valid JSON (line 3)'],
    ['{"a": 1', 'is not valid JSON (line 1)'],
    ['[]', 'is not a JSON object'],
    ['"text"', 'is not a JSON object'],
    ['{"mcpServers": []}', 'has "mcpServers" that are not an object'],
  ] as const) {
    expect(() => withEntry(text, cursor, 'academy', entry), text).toThrow(new UnusableSettings(problem));
  }
  expect(() => withEntry('{"inputs": {}}', vscode, 'academy', asking)).toThrow('has "inputs" that are not a list');
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

const folder = join('/home/ana/.config/academy-mcp');
const copy = join(folder, `program-${version}`);

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

test('only a copy that init made is recognized as one', () => {
  expect(ownFilesOf({ args: [join(copy, 'main.js')] }, folder)).toEqual([copy]);
  for (const path of [join(folder, 'main.js'), '/work/program-1/main.js', join(folder, 'other', 'main.js')]) {
    expect(ownFilesOf({ args: [path] }, folder)).toEqual([]);
  }
});
