import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import pino from 'pino';
import { type Callers, type CallersOptions, createCallers } from '../../src/mirror/callers.ts';
import { openStore, type Store } from '../../src/mirror/store.ts';
import { atEnd } from '../support/at-end.ts';

const identity = { baseUrl: 'https://academy.example.com/', timezone: 'UTC' };
const log = pino({ level: 'silent' });

export type Opened = Store & { readonly callers: Callers<number> };

/** A store with this file, as a process of its own would open it. The first use of `callers` starts their thread; what is said of them counts the orders. */
export async function open(
  file?: string,
  other: Partial<typeof identity> = {},
  more: Pick<CallersOptions<number>, 'graceMs' | 'exportMs'> = {},
): Promise<Opened> {
  const store = await openStore({ identity: { ...identity, ...other }, file, log, now: () => new Date() });
  let callers: Callers<number> | undefined;
  atEnd(async () => {
    await callers?.close();
    await store.close();
  });
  return {
    ...store,
    get callers() {
      callers ??= createCallers({ store, describe: (read) => count({ read }), ...more });
      return callers;
    },
  };
}

/** Leaves a file with these orders, as a process that has ended. `damage`: a statement before it is saved. */
export async function saveFile(file: string, ids: string[], damage = '', other: Partial<typeof identity> = {}) {
  const store = await open(file, other);
  await add(store, ...ids);
  if (damage !== '') await store.write([{ sql: damage }]);
  await store.save();
  await store.close();
}

export function add(store: Store, ...ids: string[]): Promise<void> {
  const sql = 'INSERT INTO orders (id) SELECT value FROM json_each(?)';
  return store.write([{ sql, values: [JSON.stringify(ids)] }]);
}

/** A statement of a caller, with the limits of the program unless others are given. */
export function ask(
  { callers }: Opened,
  sql: string,
  { caller = 'one', signal = new AbortController().signal, maxRows = 200, timeMs = 2_000 } = {},
) {
  return callers.run('query', { sql, maxRows, timeMs }, { caller, signal });
}

export async function count({ read }: Pick<Store, 'read'>): Promise<number> {
  return Number((await read('SELECT count(*) FROM orders'))[0]?.[0]);
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
