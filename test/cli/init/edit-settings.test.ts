import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { clientOf, keyReference, type ServerEntry, startsAcademy } from '../../../src/cli/init/clients.ts';
import { UnusableSettings, withEntry, withoutEntry } from '../../../src/cli/init/settings-file.ts';

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
