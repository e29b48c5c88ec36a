import { readOrdersByEmail } from '../../api/orders-by-email.ts';
import { buyerKey, type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Statement } from '../engine/messages.ts';
import { storeOrders } from '../rows/order-rows.ts';
import type { Store } from '../store.ts';
import { keysOf, markMissing, readState, writeState } from './fill-state.ts';
import type { FillContext } from './filling.ts';
import { outdatedKey, syncOrders, writtenKey } from './order-windows.ts';

/** Every spelling of an email that the copy knows, letter by letter: the API shows the orders of exactly one. */
async function spellingsOf(email: string, { read }: Pick<Store, 'read'>): Promise<string[]> {
  const buyer = buyerKey(email);
  const rows = await read(
    `SELECT email COLLATE BINARY FROM orders WHERE email_key = ?1
      UNION SELECT email COLLATE BINARY FROM students WHERE email_key = ?1`,
    [buyer],
  );
  return [...new Set([email, buyer, ...rows.map(([one]) => String(one))])];
}

/** All orders of a person; undefined if the API does not show all. */
async function readOrders(email: string, { api, store }: FillContext): Promise<readonly SoldOrder[] | undefined> {
  const spellings = await spellingsOf(email, store);
  const { orders, problem, isCut, refusal } = await readOrdersByEmail(api, spellings, { partly: true });
  const isNobody = refusal instanceof AcademyError && refusal.code === 'not_found';
  if (!isNobody && (problem !== undefined || isCut)) return undefined;
  return orders.map(soldOrder).filter(({ buyer }) => buyer === buyerKey(email));
}

/** The orders that writes of this program have changed: what the mirror has of them is outdated at once. */
export type WrittenOrders = ReturnType<typeof createWrittenOrders>;

export function createWrittenOrders(store: Pick<Store, 'isFiller' | 'read' | 'write'>) {
  /** What this process knows, also if another one fills the mirror. */
  const known = { writtenAt: Number.NEGATIVE_INFINITY, outdatedAt: Number.NEGATIVE_INFINITY };
  /** Grows with each note and each reading: which came first, also within a millisecond. */
  let stamp = Number.NEGATIVE_INFINITY;

  return {
    known,
    /** Notes a write that may have changed orders of this person; undefined: of anybody. Takes effect before it returns. */
    note: async (email: string | undefined, at: number): Promise<void> => {
      known.writtenAt = at;
      stamp = Math.max(at, stamp + 1);
      // Only the process that fills the mirror can store the orders of one person.
      if (email === undefined || !store.isFiller()) known.outdatedAt = at;
      if (!store.isFiller()) return;
      const person = 'INSERT OR REPLACE INTO fill_people (email, written_ms) VALUES (?, ?)';
      const one = email === undefined ? writeState(outdatedKey, at) : { sql: person, values: [email, stamp] };
      await store.write([writeState(writtenKey, at), one, syncOrders(at)]);
    },
    /** One of the people whose orders are to be read again. */
    next: async (): Promise<string | undefined> => {
      const [[email] = []] = await store.read('SELECT email FROM fill_people LIMIT 1');
      return typeof email === 'string' ? email : undefined;
    },
    /** What was read until then is outdated. */
    outdatedAt: async () =>
      Math.max(known.outdatedAt, Number((await readState(store, outdatedKey)) ?? known.outdatedAt)),
    /** Reads the orders of one person, as statements. */
    readPerson: async (email: string, context: FillContext): Promise<Statement[]> => {
      const startedAt = context.now().getTime();
      stamp = Math.max(stamp, startedAt);
      // Orders that are written to from now on are read again.
      const done = { sql: 'DELETE FROM fill_people WHERE email = ? AND written_ms <= ?', values: [email, stamp] };
      const found = await readOrders(email, context);
      // All periods are read again instead.
      if (found === undefined) return [writeState(outdatedKey, startedAt), done];
      const covers = { sql: 'email_key = ?', values: [buyerKey(email)] };
      const reading = { table: 'orders', key: 'id', covers, shown: keysOf(found.map(({ id }) => id)) };
      const why = 'the orders of the buyer do not show it';
      return [...storeOrders(found, context.calendar), ...markMissing(reading, startedAt, why), done];
    },
  };
}
