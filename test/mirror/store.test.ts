import { chmod, mkdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { pid } from 'node:process';
import { expect, test } from 'vitest';
import { openMirrorFile } from '../../src/mirror/file/mirror-file.ts';
import { temporaryFile } from '../support/sandbox.ts';
import { add, besideOf, count, open } from './open-store.ts';

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
  await expect(add(reader, 'c')).rejects.toThrow('another process fills');
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

test('the lock is kept alive while the process that fills the file neither saves nor answers', async () => {
  const path = await temporaryFile('mirror.db');
  await open(path, {}, { aliveMs: 20 });
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(`${path}.lock`, hourAgo, hourAgo);
  await expect.poll(async () => (await stat(`${path}.lock`)).mtimeMs).toBeGreaterThan(hourAgo.getTime() + 60_000);
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
