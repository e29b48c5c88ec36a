import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Store } from '../../src/mirror/store.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { add, besideOf, changeByte, count, open } from './open-store.ts';

const damages: [string, (path: string) => Promise<void>][] = [
  ['a byte of its first page is another one', (path) => changeByte(path, 4_096 + 20)],
  ['a byte of its checksums is another one', (path) => changeByte(path, -5)],
  ['its end is missing', async (path) => await truncate(path, (await stat(path)).size - 1)],
  ['it is longer', async (path) => await writeFile(path, 'x', { flag: 'a' })],
  ['it is empty', async (path) => await truncate(path, 0)],
  ['its header is something else', async (path) => await writeFile(path, 'SQLite format 3\0'.padEnd(9_000))],
  [
    'its header is of a later format',
    async (path) => {
      const bytes = await readFile(path, 'latin1');
      await writeFile(path, bytes.replace('"format":2', '"format":3'), 'latin1');
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

/** A file with two thousand orders, in which a page is damaged that holds some of them, and opening it reads none of these. */
async function withDamagedOrders(path: string): Promise<void> {
  const first = await open(path);
  await add(first, ...Array.from({ length: 2_000 }, (_, index) => `order ${index}`));
  await first.save();
  await first.close();
  const bytes = await readFile(path);
  await changeByte(path, bytes.indexOf('order 1999'));
}

test('rows of a damaged page are never shown: the file is set aside when the page is read', async () => {
  const path = await temporaryFile('mirror.db');
  await withDamagedOrders(path);
  const store = await open(path);
  expect(await besideOf(path)).toEqual(['', '.lock']);
  const { rows } = await store.query('SELECT id FROM orders', { maxRows: 3_000, timeMs: 2_000 });
  expect(rows).toEqual([]);
  expect(await besideOf(path)).toEqual(['.damaged-…', '.lock']);
});

test('a file with a damaged page that nothing reads is set aside when it is saved again', async () => {
  const path = await temporaryFile('mirror.db');
  await withDamagedOrders(path);
  const store = await open(path);
  await store.write([{ sql: "INSERT INTO courses (id, title) VALUES (1, 'x')" }]);
  await expect(store.save()).rejects.toThrow('checksum');
  expect(await count(store)).toBe(0);
  expect(await besideOf(path)).toEqual(['.damaged-…', '.lock']);
});

test('a reader of a damaged file shows nothing of it, and reads what the filling process saves next', async () => {
  const path = await temporaryFile('mirror.db');
  await withDamagedOrders(path);
  const filler = await open(path);
  const reader = await open(path);
  const all = async (store: Store) => {
    return (await store.query('SELECT id FROM orders', { maxRows: 3_000, timeMs: 2_000 })).rows.length;
  };
  expect(await all(reader)).toBe(0);
  expect(await all(reader)).toBe(0);
  expect(await besideOf(path)).toEqual(['', '.lock']);
  expect(await all(filler)).toBe(0);
  await add(filler, 'a');
  await filler.save();
  expect(await all(reader)).toBe(1);
});

test('what follows from a database is not written to the one that takes its place', async () => {
  const path = await temporaryFile('mirror.db');
  await withDamagedOrders(path);
  const store = await open(path);
  const before = store.pinned();
  await before.write([{ sql: "INSERT INTO courses (id, title) VALUES (1, 'x')" }]);
  await store.query('SELECT id FROM orders', { maxRows: 3_000, timeMs: 2_000 });
  await expect(add(before, 'a')).rejects.toThrow('replaced meanwhile');
  await add(store.pinned(), 'b');
  expect(await count(store)).toBe(1);
});
