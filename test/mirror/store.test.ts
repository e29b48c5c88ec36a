import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pid } from 'node:process';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openMirrorFile } from '../../src/mirror/file/shared-file.ts';
import { openStore, type Store } from '../../src/mirror/store.ts';
import { temporaryFile } from '../support/sandbox.ts';

const identity = { baseUrl: 'https://academy.example.com/', timezone: 'UTC' };
const log = pino({ level: 'silent' });

/** A store with this file, as a process of its own would open it. */
async function open(path: string, other: Partial<typeof identity> = {}): Promise<Store> {
  const file = openMirrorFile(path, pid);
  const store = await openStore({ identity: { ...identity, ...other }, file, log, now: () => new Date() });
  onTestFinished(() => store.close());
  return store;
}

function add(store: Store, ...ids: string[]): Promise<void> {
  const sql = 'INSERT INTO orders (id) SELECT value FROM json_each(?)';
  return store.write([{ sql, values: [JSON.stringify(ids)] }]);
}

async function count(store: Store): Promise<unknown> {
  return (await store.query('SELECT count(*) FROM orders', { maxRows: 1, timeMs: 2_000 })).rows[0]?.[0];
}

/** The files beside the mirror file, without the name that all begin with. */
async function besideOf(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names.map((name) => name.replace(basename(path), '').replace(/-\d.*$/, '-…')).sort();
}

test('a saved file has the same rows when it is opened again, and only its owner can read it', async () => {
  const path = await temporaryFile('mirror.db');
  const first = await open(path);
  await add(first, 'a', 'b');
  await first.save();
  await first.close();
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await besideOf(path)).toEqual(['']);
  const second = await open(path);
  expect(second.isFiller()).toBe(true);
  expect(await count(second)).toBe(2);
  await add(second, 'c');
  expect(await count(second)).toBe(3);
});

test('one of two processes fills a file, and the other reads what it saves', async () => {
  const path = await temporaryFile('mirror.db');
  const filler = await open(path);
  const reader = await open(path);
  expect([filler.isFiller(), reader.isFiller()]).toEqual([true, false]);
  await add(filler, 'a');
  await filler.save();
  expect(await count(reader)).toBe(1);
  await add(filler, 'b');
  expect(await count(reader)).toBe(1);
  await filler.save();
  expect(await count(reader)).toBe(2);
  await expect(add(reader, 'c')).rejects.toThrow(/readonly/);
});

test('a reader fills the file once the process that filled it has ended', async () => {
  const path = await temporaryFile('mirror.db');
  const filler = await open(path);
  const reader = await open(path);
  await add(filler, 'a');
  await filler.save();
  await filler.close();
  expect(await count(reader)).toBe(1);
  expect(reader.isFiller()).toBe(true);
  await add(reader, 'b');
  await reader.save();
  expect(await count(await open(path))).toBe(2);
});

test('the lock of a process that was killed does not hold up the next one', async () => {
  const path = await temporaryFile('mirror.db');
  // No system gives out a number as high as this.
  const dead = { pid: 2 ** 30, host: hostname(), id: 'x' };
  await writeFile(`${path}.lock`, JSON.stringify(dead));
  await writeFile(`${path}.new-${dead.pid}`, 'half');
  const store = await open(path);
  expect(store.isFiller()).toBe(true);
  expect(await besideOf(path)).toEqual(['.lock']);
});

/** Changes one byte, from the end if the position is negative. */
async function changeByte(path: string, position: number): Promise<void> {
  const bytes = await readFile(path);
  const at = position < 0 ? bytes.length + position : position;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

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

test('a file of another academy is neither read nor changed', async () => {
  const path = await temporaryFile('mirror.db');
  const first = await open(path);
  await add(first, 'a');
  await first.save();
  await first.close();
  const before = await readFile(path);
  await expect(open(path, { baseUrl: 'https://other.example.com/' })).rejects.toThrow('of another academy');
  expect(before.equals(await readFile(path))).toBe(true);
  expect(await besideOf(path)).toEqual(['']);
});

test('a file with the days of another time zone is filled again', async () => {
  const path = await temporaryFile('mirror.db');
  const first = await open(path);
  await add(first, 'a');
  await first.save();
  await first.close();
  expect(await count(await open(path, { timezone: 'Asia/Tokyo' }))).toBe(0);
});

test('a file in a folder that does not exist is refused', async () => {
  const path = await temporaryFile('mirror.db');
  await expect(open(join(dirname(path), 'missing', 'mirror.db'))).rejects.toThrow(
    'ACADEMY_MIRROR cannot be used: its folder does not exist',
  );
});

test('a symbolic link, a folder and a file that others can read are refused', async () => {
  const path = await temporaryFile('mirror.db');
  await writeFile(`${path}.target`, '');
  await symlink(`${path}.target`, path);
  expect(() => openMirrorFile(path, pid)).toThrow('ACADEMY_MIRROR cannot be used: it is a symbolic link');
  const folder = join(dirname(path), 'folder');
  await mkdir(folder);
  expect(() => openMirrorFile(folder, pid)).toThrow('it must be a regular file');
  const open = `${path}.open`;
  await writeFile(open, '');
  await chmod(open, 0o640);
  expect(() => openMirrorFile(open, pid)).toThrow('other users can read it; run chmod 600 on it');
});

test('a statement that takes much memory is refused, and the rows that were not saved yet are still there', async () => {
  const path = await temporaryFile('mirror.db');
  const store = await open(path);
  await add(store, 'a');
  const numbers = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)';
  const sql = `${numbers} SELECT count(*) FROM (SELECT DISTINCT x || printf('%.*c', 500, 'a') FROM n)`;
  await expect(store.query(sql, { maxRows: 1, timeMs: 20_000 })).rejects.toThrow('too much memory');
  // The thread was replaced, which saves the file first.
  expect(await besideOf(path)).toEqual(['', '.lock']);
  expect(await count(store)).toBe(1);
  await add(store, 'b');
  expect(await count(store)).toBe(2);
});

test('a statement that holds up the thread is ended, and the rows are those of the file', async () => {
  const path = await temporaryFile('mirror.db');
  const store = await open(path);
  await add(store, 'a');
  await store.save();
  // Searching a long text in a long one is a single step: nothing interrupts it but the end of the thread.
  const search = "instr(printf('%.*c', 29000, 'a'), printf('%.*c', 14000, 'a') || 'b')";
  const sql = `SELECT ${Array.from({ length: 90 }, () => search).join(' + ')}`;
  await expect(store.query(sql, { maxRows: 1, timeMs: 50, silenceMs: 100 })).rejects.toThrow('was ended');
  expect(await count(store)).toBe(1);
});
