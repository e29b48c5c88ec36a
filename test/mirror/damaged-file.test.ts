import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryFile } from '../support/sandbox.ts';
import { add, besideOf, changeByte, count, open } from './open-store.ts';

const damages: [string, (path: string) => Promise<void>][] = [
  ['a byte of its first page is another one', (path) => changeByte(path, 4_096 + 20)],
  ['a byte of its last page is another one', (path) => changeByte(path, -5)],
  ['a byte of its header is another one', (path) => changeByte(path, 0)],
  ['its end is missing', async (path) => await truncate(path, (await stat(path)).size - 1)],
  ['it is longer', async (path) => await writeFile(path, 'x', { flag: 'a' })],
  ['it is empty', async (path) => await truncate(path, 0)],
  ['its header is something else', async (path) => await writeFile(path, 'SQLite format 3\0'.padEnd(9_000))],
  [
    'its header is of a later format',
    async (path) => {
      const bytes = await readFile(path, 'latin1');
      await writeFile(path, bytes.replace('"format":3', '"format":4'), 'latin1');
    },
  ],
];

test.for(damages)('a file is set aside if %s', async ([, damage]) => {
  const path = await temporaryFile('mirror.db');
  const first = await open(path);
  await add(first, 'a');
  await first.save();
  await first.close();
  await damage(path);
  const second = await open(path);
  expect(await count(second)).toBe(0);
  expect(await besideOf(path)).toEqual(['.damaged-…', '.lock']);
  await add(second, 'b');
  await second.save();
  expect(await count(await open(path))).toBe(1);
});
