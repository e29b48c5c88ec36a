import { readOrdersByEmail } from '../../api/orders-by-email.ts';
import { type SoldOrder, soldOrder } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { composed } from '../../shared/clean-text.ts';
import { inBatches } from '../batch.ts';
import { ordersOfPeople } from '../scan-store.ts';
import type { ScannedMirror } from './scanned-mirror.ts';

// A period leaves out the orders before and after it: a person may have bought or been granted a product there.

export interface PeopleOrders {
  /** All orders of a person, of every status, by buyer. */
  readonly known: ReadonlyMap<string, readonly SoldOrder[]>;
  /** Number of people whom a further part of the answer reads. */
  readonly left: number;
  readonly stopped: string | undefined;
}

/** `scanned`: the mirror that answered for the period, if one did. Then it answers for its people, too. */
export type PeopleContext = ToolContext & { readonly scanned: ScannedMirror | undefined };

interface Person {
  readonly buyer: string;
  /** The API matches the email letter by letter. */
  readonly spellings: readonly string[];
}

function peopleIn(orders: readonly SoldOrder[]): Person[] {
  const emails = new Map<string, Set<string>>();
  for (const { buyer, email } of orders) {
    const own = emails.get(buyer) ?? new Set([buyer]);
    if (email !== undefined) own.add(email);
    emails.set(buyer, own);
  }
  return [...emails].map(([buyer, own]) => ({ buyer, spellings: [...own] }));
}

/** People with equally many spellings, which cost a request each: the fewest first. */
function byCost(people: readonly Person[]): [cost: number, people: Person[]][] {
  const costs = [...new Set(people.map(({ spellings }) => spellings.length))].sort((one, other) => one - other);
  return costs.map((cost) => [cost, people.filter(({ spellings }) => spellings.length === cost)]);
}

const spellingOf = (email: string) => composed(email.trim());

/** The orders in the mirror of the people whom it knows with at least the orders that were read. */
async function readMirror(people: readonly Person[], orders: readonly SoldOrder[], { scanned }: PeopleContext) {
  const found = people.length === 0 ? undefined : await scanned?.ordersOf(people.map(({ buyer }) => buyer));
  const ids = new Set(found?.map(({ id }) => id));
  const unknown = new Set(orders.flatMap(({ id, buyer }) => (ids.has(id) ? [] : [buyer])));
  const own = new Map(people.map(({ buyer }): [string, SoldOrder[]] => [buyer, []]));
  // The same orders as by the API, which shows those of no other spelling.
  const spellings = new Set(people.flatMap((person) => person.spellings.map(spellingOf)));
  const isSpelled = ({ email = '' }: SoldOrder) => spellings.has(spellingOf(email));
  for (const order of found?.filter(isSpelled) ?? []) own.get(order.buyer)?.push(order);
  return [...own].filter(([buyer]) => !unknown.has(buyer));
}

/**
 * Reads all orders of the buyers of `orders`: from the mirror, or by one request for each spelling of an email. `key`: the cache
 * key for the next part.
 */
export async function readOrdersOfPeople(
  orders: readonly SoldOrder[],
  key: string,
  maxRequests: number,
  context: PeopleContext,
): Promise<PeopleOrders> {
  const { api, stores, spent, progress, scanned } = context;
  const cache = stores.of(ordersOfPeople);
  const cacheKey = scanned === undefined ? key : `mirror ${key}`;
  const read = cache.get(cacheKey) ?? { known: new Map<string, readonly SoldOrder[]>(), refused: new Set<string>() };
  const left = () => maxRequests - spent();
  const isOpen = ({ buyer }: Person) => !read.known.has(buyer) && !read.refused.has(buyer);
  const people = peopleIn(orders);
  const run = async ({ spellings }: Person) => await readOrdersByEmail(api, spellings, { left, partly: true });
  const keep = ({ buyer }: Person, { orders: own, problem, isCut }: Awaited<ReturnType<typeof run>>) => {
    if (problem !== undefined) read.refused.add(buyer);
    else if (!isCut) read.known.set(buyer, own.map(soldOrder));
  };
  const mirrored = await readMirror(people.filter(isOpen), orders, context);
  for (const [buyer, own] of mirrored) read.known.set(buyer, own);
  const open = people.filter(isOpen);
  let before = 0;
  let stopped: string | undefined;
  for (const [cost, some] of byCost(open)) {
    const onProgress = (done: number) =>
      progress(before + done, open.length, `checked ${before + done} of ${open.length} people`);
    // Without a first person, a small max_requests would never end.
    const room = () => Math.max(Math.floor(left() / cost), spent() === 0 ? 1 : 0);
    const batch = await inBatches(some, { run, keep }, { left: room, progress: onProgress });
    before += batch.done;
    stopped ??= batch.stopped;
    if (stopped !== undefined) break;
  }
  cache.set(cacheKey, read);
  return { known: read.known, left: stopped === undefined ? people.filter(isOpen).length : 0, stopped };
}
