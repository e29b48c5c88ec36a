import type { Store } from '../store.ts';
import { readState, writeState } from './fill-state.ts';
import { outdatedKey, syncOrders, writtenKey } from './order-windows.ts';

// The orders that writes of this program have changed: what the mirror has of them is outdated at once.

export type WrittenOrders = ReturnType<typeof createWrittenOrders>;

export function createWrittenOrders(store: Pick<Store, 'isFiller' | 'read' | 'write'>) {
  /** What this process knows, also if another one fills the mirror. */
  const known = { writtenAt: Number.NEGATIVE_INFINITY, outdatedAt: Number.NEGATIVE_INFINITY };
  /** Numbers the notes: one that comes while its person is read is newer than that reading. */
  let stamp = Date.now();

  return {
    known,
    /** Notes a write that may have changed orders of this person; undefined: of anybody. Takes effect before it returns. */
    note: async (email: string | undefined, at: number): Promise<void> => {
      known.writtenAt = at;
      stamp += 1;
      // Only the process that fills the mirror can store the orders of one person.
      if (email === undefined || !store.isFiller()) known.outdatedAt = at;
      if (!store.isFiller()) return;
      const person = 'INSERT OR REPLACE INTO fill_people (email, written_ms) VALUES (?, ?)';
      const one = email === undefined ? writeState(outdatedKey, at) : { sql: person, values: [email, stamp] };
      await store.write([writeState(writtenKey, at), one, syncOrders(at)]);
    },
    /** Somebody whose orders are to be read again, and what ends that once they are: not if there was a newer write. */
    next: async () => {
      const [[email, written] = []] = await store.read('SELECT email, written_ms FROM fill_people LIMIT 1');
      if (typeof email !== 'string' || written === undefined) return undefined;
      return {
        email,
        done: { sql: 'DELETE FROM fill_people WHERE email = ? AND written_ms = ?', values: [email, written] },
      };
    },
    /** What was read until then is outdated. */
    outdatedAt: async () =>
      Math.max(known.outdatedAt, Number((await readState(store, outdatedKey)) ?? known.outdatedAt)),
  };
}
