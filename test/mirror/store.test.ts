import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMirrorFile } from '../../src/mirror/file/mirror-file.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { add, besideOf, changeByte, count, open, saveFile } from './open-store.ts';

test('a saved file has the same rows when it is opened again, and only its owner can read it', async () => {
  const path = await temporaryFile('mirror.db');
  await saveFile(path, ['a', 'b']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await besideOf(path)).toEqual(['']);
  const second = await open(path);
  expect(await count(second)).toBe(2);
  await add(second, 'c');
  expect(await count(second)).toBe(3);
});

test('of two processes with one file, each fills a copy of its own, and the last save counts', async () => {
  const path = await temporaryFile('mirror.db');
  const first = await open(path);
  await add(first, 'a');
  await first.save();
  const second = await open(path);
  expect(await count(second)).toBe(1);
  await add(first, 'b', 'c');
  await first.save();
  expect(await count(second)).toBe(1);
  await add(second, 'd');
  await second.save();
  expect(await count(first)).toBe(3);
  expect(await count(await open(path))).toBe(2);
});

test('a file that is deleted while it is in use stays deleted, and the copy answers from memory', async () => {
  const path = await temporaryFile('mirror.db');
  const store = await open(path);
  await add(store, 'a');
  await store.save();
  await rm(path);
  for (const id of ['b', 'c']) {
    await add(store, id);
    await store.save();
  }
  expect(await besideOf(path)).toEqual([]);
  expect(await count(store)).toBe(3);
});

test('what a killed process has left half written is deleted, and what another one writes now is not', async () => {
  const path = await temporaryFile('mirror.db');
  await writeFile(`${path}.new-7`, 'half');
  await utimes(`${path}.new-7`, 0, 0);
  await writeFile(`${path}.new-8`, 'half');
  await open(path);
  expect(existsSync(`${path}.new-7`)).toBe(false);
  expect(existsSync(`${path}.new-8`)).toBe(true);
});

test('a file of another academy is neither read nor changed', async () => {
  const path = await temporaryFile('mirror.db');
  await saveFile(path, ['a']);
  const before = await readFile(path);
  await expect(open(path, { baseUrl: 'https://other.example.com/' })).rejects.toThrow('of another academy');
  expect(before.equals(await readFile(path))).toBe(true);
  expect(await besideOf(path)).toEqual(['']);
});

test('a file with the days of another time zone is filled again', async () => {
  const path = await temporaryFile('mirror.db');
  await saveFile(path, ['a']);
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
  expect(() => checkMirrorFile(path)).toThrow('ACADEMY_MIRROR cannot be used: it is a symbolic link');
  const folder = join(dirname(path), 'folder');
  await mkdir(folder);
  expect(() => checkMirrorFile(folder)).toThrow('it must be a regular file');
  const open = `${path}.open`;
  await writeFile(open, '');
  await chmod(open, 0o640);
  expect(() => checkMirrorFile(open)).toThrow('other users can read it (mode 0640); run chmod 600 on it');
});

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

test('a file is set aside, and the copy filled and saved again, whatever is wrong with it', async () => {
  const whole = await temporaryFile('mirror.db');
  await saveFile(whole, ['a']);
  const image = await readFile(whole);
  // At once: each starts a thread.
  const isMended = async ([name, damage]: (typeof damages)[number]) => {
    const path = await temporaryFile('mirror.db');
    await writeFile(path, image, { mode: 0o600 });
    await damage(path);
    const second = await open(path);
    expect(await count(second), name).toBe(0);
    expect(await besideOf(path), name).toEqual(['.damaged-…']);
    await add(second, 'b');
    await second.save();
    await second.close();
    expect(await besideOf(path), name).toEqual(['', '.damaged-…']);
  };
  await Promise.all(damages.map(isMended));
});

test('a file is set aside if SQLite cannot read its schema, though the image is as it was saved', async () => {
  const path = await temporaryFile('mirror.db');
  await saveFile(
    path,
    [],
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE' WHERE name = 'orders'",
  );
  const second = await open(path);
  expect(await besideOf(path)).toEqual(['.damaged-…']);
  await add(second, 'a');
  expect(await count(second)).toBe(1);
});
