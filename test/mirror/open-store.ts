import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { pid } from 'node:process';
import pino from 'pino';
import { onTestFinished } from 'vitest';
import { openMirrorFile } from '../../src/mirror/file/shared-file.ts';
import { openStore, type Store } from '../../src/mirror/store.ts';

const identity = { baseUrl: 'https://academy.example.com/', timezone: 'UTC' };
const log = pino({ level: 'silent' });

/** A store with this file, as a process of its own would open it. */
export async function open(
  path: string,
  other: Partial<typeof identity> = {},
  times: { aliveMs?: number } = {},
): Promise<Store> {
  const file = openMirrorFile(path, pid);
  const store = await openStore({ identity: { ...identity, ...other }, file, log, now: () => new Date(), ...times });
  onTestFinished(() => store.close());
  return store;
}

export function add(store: Store, ...ids: string[]): Promise<void> {
  const sql = 'INSERT INTO orders (id) SELECT value FROM json_each(?)';
  return store.write([{ sql, values: [JSON.stringify(ids)] }]);
}

export async function count(store: Store): Promise<unknown> {
  return (await store.query('SELECT count(*) FROM orders', { maxRows: 1, timeMs: 2_000 })).rows[0]?.[0];
}

/** The files beside the mirror file, without the name that all begin with. */
export async function besideOf(path: string): Promise<string[]> {
  const names = await readdir(dirname(path));
  return names.map((name) => name.replace(basename(path), '').replace(/-\d.*$/, '-…')).sort();
}

/** Changes one byte, from the end if the position is negative. */
export async function changeByte(path: string, position: number): Promise<void> {
  const bytes = await readFile(path);
  const at = position < 0 ? bytes.length + position : position;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
