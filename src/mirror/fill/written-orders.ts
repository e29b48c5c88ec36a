import { readOrdersByEmail } from '../../api/orders-by-email.ts';
import { buyerKey, soldOrder } from '../../insights/sales/sold-order.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Statement } from '../engine/messages.ts';
import { removeOtherOrdersOf, storeOrders } from '../rows/order-rows.ts';
import type { Store } from '../store.ts';
import { readState, writeState } from './fill-state.ts';
import type { FillContext } from './list-filling.ts';

/** When this program last wrote; when everything that was read before became outdated. Milliseconds. */
export const writtenKey = 'written_at';
export const outdatedKey = 'orders_outdated_at';

/** The orders that writes of this program have changed: what the mirror has of them is outdated at once. */
export interface WrittenOrders {
  /** Notes a write that may have changed orders of this person; undefined: of anybody. Takes effect before it returns. */
  note(email: string | undefined, at: number): Promise<void>;
  /** Whether orders of people are to be read again. */
  hasPeople(): Promise<boolean>;
  /** Reads the orders of one of them. */
  readPerson(context: FillContext): Promise<void>;
  /** Notes again the people who were written to since: what a longer reading has stored may be older. */
  repeatSince(at: number): Promise<void>;
  /** Notes everybody again: what was stored since the last save is lost. */
  forget(): void;
  /** What was read until then is outdated. */
  outdatedAt(): Promise<number>;
  /** What this process knows, also if another one fills the mirror. */
  readonly known: { writtenAt: number; outdatedAt: number; readonly people: ReadonlySet<string> };
}

/** All orders of a person, as statements; undefined if the API does not show all. */
async function readOrders(email: string, { api, store, calendar }: FillContext): Promise<Statement[] | undefined> {
  const buyer = buyerKey(email);
  const rows = await store.read('SELECT DISTINCT email FROM orders WHERE email_key = ?', [buyer]);
  const spellings = new Set([email, buyer, ...rows.map(([one]) => String(one))]);
  const { orders, problem, isCut, refusal } = await readOrdersByEmail(api, [...spellings], { partly: true });
  const isNobody = refusal instanceof AcademyError && refusal.code === 'not_found';
  if (!isNobody && (problem !== undefined || isCut)) return undefined;
  const own = orders.map(soldOrder).filter((order) => order.buyer === buyer);
  const ids = own.map(({ id }) => id);
  return [...storeOrders(own, calendar), ...removeOtherOrdersOf(buyer, ids)];
}

export function createWrittenOrders(store: Pick<Store, 'isFiller' | 'read' | 'write'>): WrittenOrders {
  const people = new Set<string>();
  const known = { writtenAt: Number.NEGATIVE_INFINITY, outdatedAt: Number.NEGATIVE_INFINITY, people };
  /** When each person was last written to. */
  const times = new Map<string, number>();

  async function note(email: string | undefined, at: number): Promise<void> {
    const isOne = email !== undefined && store.isFiller();
    known.writtenAt = at;
    // Only the process that fills the mirror can store the orders of one person.
    if (!isOne) known.outdatedAt = at;
    else people.add(email);
    if (isOne) times.set(email, at);
    if (!store.isFiller()) return;
    const insert = 'INSERT OR REPLACE INTO fill_people (email, written_ms) VALUES (?, ?)';
    const one = isOne ? { sql: insert, values: [email, at] } : writeState(outdatedKey, String(at));
    await store.write([writeState(writtenKey, String(at)), one]);
  }

  async function next(): Promise<string | undefined> {
    const [noted] = people;
    if (noted !== undefined) return noted;
    const [[email] = []] = await store.read('SELECT email FROM fill_people LIMIT 1');
    return typeof email === 'string' ? email : undefined;
  }

  return {
    known,
    note,
    forget: () => {
      for (const email of times.keys()) people.add(email);
    },
    outdatedAt: async () =>
      Math.max(known.outdatedAt, Number((await readState(store, outdatedKey)) ?? known.outdatedAt)),
    hasPeople: async () => (await next()) !== undefined,
    readPerson: async (context) => {
      const email = await next();
      if (email === undefined) return;
      const startedAt = context.now().getTime();
      const found = await readOrders(email, context);
      // All periods are read again instead.
      if (found === undefined) await note(undefined, startedAt);
      if ((times.get(email) ?? Number.NEGATIVE_INFINITY) > startedAt) return;
      await store.write([...(found ?? []), { sql: 'DELETE FROM fill_people WHERE email = ?', values: [email] }]);
      people.delete(email);
    },
    repeatSince: async (at) => {
      for (const [email, written] of times) if (written >= at) await note(email, written);
    },
  };
}
