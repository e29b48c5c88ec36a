import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Which folder may import which: the layers of docs/architecture.md as a table. Type imports count, too.

const calculations = ['src/shared', 'src/contract', 'src/insights'];
const tools = [...calculations, 'src/api', 'src/events', 'src/mcp', 'src/workflows', 'src/mirror'];
const app = ['src/app.ts', 'src/start-parts.ts', 'src/lazy-app.ts', 'src/version.ts'];
const servers = ['src/shared', 'src/api', 'src/config', 'src/events', 'src/mcp', 'src/accounts', ...app];

/** What the files of each part may import outside of it. `src/main.ts` is in no row: nothing imports it. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'src/shared': [],
  'src/contract': ['src/shared'],
  'src/insights': ['src/shared', 'src/contract'],
  'src/sandbox': ['src/shared', 'src/contract'],
  'src/api': calculations,
  'src/events': [...calculations, 'src/api'],
  'src/redis': ['src/shared', 'src/api'],
  'src/mcp': [...calculations, 'src/api', 'src/events'],
  'src/config': ['src/shared', 'src/insights', 'src/mcp'],
  'src/workflows': tools.slice(0, 6),
  'src/mirror': tools.slice(0, 7),
  'src/protocol': ['src/shared', 'src/mcp'],
  src: [...tools, 'src/config', 'package.json'],
  'src/accounts': servers,
  'src/server': [...servers, 'src/protocol'],
  'src/cli': [...tools, ...servers, 'src/redis', 'src/sandbox', 'src/server', 'tools'],
  'src/main.ts': ['src/cli'],
  tools,
  apps: ['src/shared', 'src/insights'],
  scripts: [
    'src/app.ts',
    'src/api',
    'src/cli',
    'src/config',
    'src/mcp',
    'src/mirror',
    'src/protocol',
    'src/sandbox',
    'src/shared',
    'tools',
    'package.json',
  ],
};

/** Folders that may import a package of the MCP SDKs, and which. */
const sdkOf: Readonly<Record<string, RegExp>> = {
  'src/protocol/legacy/': /^@modelcontextprotocol\/sdk\//,
  'src/protocol/modern/': /^@modelcontextprotocol\/server(\/|$)/,
  'src/cli/demo/': /^@modelcontextprotocol\/sdk\/client\//,
  'scripts/': /^@modelcontextprotocol\/sdk\//,
};

const root = new URL('../', import.meta.url);

function filesIn(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const files = ['src', 'tools', 'apps', 'scripts'].flatMap(filesIn);

/** What a file imports: packages by name, files by their path from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  const found = text.matchAll(/^(?:import|export|\}).*\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm);
  return [...found].map(([, ...names]) => {
    const name = names.find((one) => one !== undefined) ?? '';
    return name.startsWith('.') ? new URL(name, new URL(file, root)).href.slice(root.href.length) : name;
  });
}

const isFile = (name: string) => /\.(ts|json)$/.test(name);
const graph = new Map(files.map((file) => [file, importsOf(file)]));

/** The row of a file: its folder, `src` for the files right in it, or itself if the table names it. */
function partOf(file: string): string {
  if (mayImport[file] !== undefined) return file;
  const folders = file.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'src' ? 2 : 1).join('/');
}

/** Each era of the protocol can be deleted alone. */
const eraOf = (file: string) => /^src\/protocol\/(legacy|modern)\//.exec(file)?.[1];

function isAllowed(file: string, imported: string): boolean {
  const [part, other] = [partOf(file), partOf(imported)];
  const allowed = mayImport[part] ?? [];
  if (part === other)
    return part !== 'src/protocol' || eraOf(imported) === undefined || eraOf(imported) === eraOf(file);
  return allowed.includes(other) || allowed.includes(imported);
}

/** "src/shared/a.ts imports src/api/b.ts" for each import that the table does not allow. */
function refused(imports: Iterable<readonly [file: string, imported: readonly string[]]>): string[] {
  return [...imports].flatMap(([file, all]) =>
    all.filter((one) => isFile(one) && !isAllowed(file, one)).map((one) => `${file} imports ${one}`),
  );
}

function refusedPackages(imports: Iterable<readonly [file: string, imported: readonly string[]]>): string[] {
  return [...imports].flatMap(([file, all]) => {
    const sdk = Object.entries(sdkOf).find(([folder]) => file.startsWith(folder))?.[1];
    const wrong = all.filter((name) => {
      if (name.startsWith('@modelcontextprotocol/')) return sdk?.test(name) !== true;
      return file.startsWith('apps/') && name.startsWith('node:');
    });
    return wrong.map((name) => `${file} imports ${name}`);
  });
}

/** The first way that leads from a file back to itself, depth first; files that lead to none are seen once. */
function findCycle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  function walk(file: string, way: readonly string[]): string[] {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    const cycle = (imports.get(file) ?? []).map((next) => walk(next, [...way, file])).find(({ length }) => length > 0);
    done.add(file);
    return cycle ?? [];
  }
  return [...imports.keys()].map((file) => walk(file, [])).find(({ length }) => length > 0) ?? [];
}

test('each folder imports only what the table allows', () => {
  expect(graph.get('src/app.ts')?.length).toBeGreaterThan(10);
  expect(refused(graph)).toEqual([]);
});

test('only the two protocol eras, the demo and scripts import an SDK, and a view imports nothing of Node', () => {
  expect(refusedPackages(graph)).toEqual([]);
});

test('every folder of the program is in the table', () => {
  const parts = new Set(files.map(partOf));
  expect([...parts].filter((part) => mayImport[part] === undefined)).toEqual([]);
});

test('an import that the table does not allow is found', () => {
  const wrong = [
    ['src/shared/a.ts', ['src/api/api.ts']],
    ['src/mcp/a.ts', ['src/start-parts.ts']],
    ['src/cli/a.ts', ['src/main.ts']],
    ['src/workflows/a.ts', ['tools/index.ts']],
    ['src/sandbox/a.ts', ['src/api/api.ts']],
    ['tools/a.ts', ['test/snap.ts']],
    ['scripts/a.ts', ['test/snap.ts']],
    ['src/version.ts', ['src/main.ts']],
    ['src/protocol/legacy/a.ts', ['src/protocol/modern/b.ts']],
  ] as const;
  expect(refused(wrong)).toHaveLength(wrong.length);
  const sdk = '@modelcontextprotocol/sdk/client/index.js';
  expect(refusedPackages([['src/cli/a.ts', [sdk]]])).toHaveLength(1);
  expect(refusedPackages([['src/cli/demo/a.ts', [sdk]]])).toEqual([]);
});

test('no file imports itself by way of others', () => {
  expect(findCycle(graph)).toEqual([]);
});

test('a cycle is found', () => {
  const cycle = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d']],
    ['d', ['b', 'a']],
  ]);
  expect(findCycle(cycle)).toEqual(['a', 'c', 'd', 'a']);
});
