import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Types count: a file that is understood only with one that is understood only with it is two halves of a file.

const root = new URL('../', import.meta.url);

function filesIn(folder: string): string[] {
  const names = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

const files = ['src', 'tools', 'apps', 'scripts'].flatMap(filesIn);

/** Files that a file imports, by their paths from the root. */
function importsOf(file: string): string[] {
  const text = readFileSync(new URL(file, root), 'utf8');
  const found = text.matchAll(/\b(?:from|import|import\()\s*'(\.[^']+)'/g);
  return [...found].map(([, path = '']) => new URL(path, new URL(file, root)).href.slice(root.href.length));
}

/** The first way that leads from a file back to itself, depth first; files that lead to none are seen once. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  function walk(file: string, way: readonly string[]): string[] {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    const cycle = (graph.get(file) ?? []).map((next) => walk(next, [...way, file])).find(({ length }) => length > 0);
    done.add(file);
    return cycle ?? [];
  }
  return [...graph.keys()].map((file) => walk(file, [])).find(({ length }) => length > 0) ?? [];
}

const graph = new Map(files.map((file) => [file, importsOf(file)]));

test('no file imports itself by way of others', () => {
  expect(graph.get('src/app.ts')?.length).toBeGreaterThan(10);
  expect(findCycle(graph)).toEqual([]);
});

test('a cycle would be found', () => {
  const cycle = new Map([
    ['a', ['b', 'c']],
    ['b', []],
    ['c', ['d']],
    ['d', ['b', 'a']],
  ]);
  expect(findCycle(cycle)).toEqual(['a', 'c', 'd', 'a']);
});

test('every folder of the program has its rule of imports', () => {
  const biome = JSON.parse(readFileSync(new URL('biome.json', root), 'utf8')) as {
    overrides: { includes: string[] }[];
  };
  const ruled = biome.overrides.flatMap(({ includes }) => includes);
  const folders = [
    ...new Set(
      files.map((file) =>
        file
          .split('/')
          .slice(0, file.startsWith('src/') ? 2 : 1)
          .join('/'),
      ),
    ),
  ];
  const unruled = folders.filter((folder) => !folder.endsWith('.ts') && !ruled.includes(`${folder}/**`));
  expect(unruled).toEqual([]);
});
