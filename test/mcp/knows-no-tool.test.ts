import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';

// A new operation or tool needs no change in src/mcp: everything that the framework needs to know about it is data of the
// contract or of the tool's definition.

const root = new URL('../../', import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), 'utf8');

const files = readdirSync(new URL('src/mcp/', root), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/mcp/${name.replaceAll('\\', '/')}`);

const withoutComments = (code: string) => code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');

/** Arguments of every list, which the framework pages itself. */
const paging = ['per_page'];

/** Arguments of several words: one word, such as `title`, may occur in any code. */
const argumentNames = operations
  .flatMap(({ params, query, body }) => Object.keys({ ...params, ...query, ...body }))
  .filter((name) => name.includes('_') && !paging.includes(name));

const names = new Set([
  ...tools.map(({ name }) => name),
  ...operations.flatMap(({ id }) => [id, id.slice(id.indexOf('.') + 1)]),
  ...argumentNames,
]);

function namesIn(code: string): string[] {
  const words = new Set(
    withoutComments(code)
      .match(/[\w.]+/g)
      ?.flatMap((word) => [word, ...word.split('.')]),
  );
  return [...names].filter((name) => words.has(name));
}

test.each(files)('%s names no tool, operation or argument', (file) => {
  expect(namesIn(read(file))).toEqual([]);
});

test.each(files)('%s imports no section of the contract', (file) => {
  const imported = [...read(file).matchAll(/from '[./]*\/contract\/([\w/-]+\.ts)'/g)].map(([, name]) => name);
  expect(imported.filter((name) => read(`src/contract/${name}`).includes('= defineOperation('))).toEqual([]);
});

test('a name in code would be found, and one in a comment would not', () => {
  expect(namesIn("if (tool.name === 'list_orders') input.course_id = 1; getOrder();").sort()).toEqual([
    'course_id',
    'getOrder',
    'list_orders',
  ]);
  expect(namesIn("call('orders.getOrder')")).toEqual(['orders.getOrder', 'getOrder']);
  expect(namesIn('/** As in get_order. */ // and get_course\nrun();')).toEqual([]);
});
