import { undefinedIfFailed } from '../../api/partial-failure.ts';
import {
  ordersOfBuyer,
  readOrdersByEmail,
  readStudentOrders,
  type StudentOrders,
  type StudentOrdersOptions,
  strayProblem,
} from '../../api/student-orders.ts';
import { listOrders } from '../../contract/orders.ts';
import { olderFreshness, olderTime } from '../../insights/freshness.ts';
import type { SaleQuestion } from '../../insights/sales/coverage-gaps.ts';
import { isUnpaid, type SoldOrder, statusOf } from '../../insights/sales/sold-order.ts';
import { type Named, namesakesText } from '../../insights/students/select-students.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { lastWrite, type Store } from '../../mcp/workflow-stores.ts';
import { composed } from '../../shared/clean-text.ts';
import type { CursorScope } from '../../shared/cursor.ts';
import { groupBy } from '../../shared/group-by.ts';
import { inBatches } from '../batch.ts';
import { moreRequests, requestsAllowed } from '../requests-allowed.ts';
import {
  keepingAnswers,
  type OrdersOfPeople,
  orderScans,
  ordersOfPeople,
  ttlMs as scanTtlMs,
  studentLists,
} from '../scan-store.ts';
import { type OrderCursor, orderCursorFor } from './order-cursor.ts';
import { createOrderScan, endsAt, type OrderScan } from './order-scan.ts';

// The one way to orders: those of a period, of people or of a student. The mirror gives what it has, the API the rest.

/** The most orders from the mirror to cache: reading more of them again is fast. */
const maxCopied = 50_000;

/**
 * Whether a first call uses this cached scan. One with pages left is read on: another scan of the same question would replace it,
 * and a cursor would then continue a smaller one. A complete one of the API is used while it is recent: reports over the same
 * closed period differ only in their groups. A period that ends now ends later in each call, so its scans are never used twice.
 */
function isUsable(scan: OrderScan, { stores, now }: Pick<ToolContext, 'stores' | 'now'>): boolean {
  const begun = scan.asOf().getTime();
  if (begun <= stores.of(lastWrite).at) return false;
  const isRecent = scan.copied === undefined && now().getTime() - begun < scanTtlMs;
  return scan.scanned().pagesLeft > 0 || (scan.isComplete() && isRecent);
}

/** Finds the scan to read on, or begins one. `isElsewhere`: another replica has read the earlier parts. */
async function openScan(question: SaleQuestion, isFurther: boolean, context: ToolContext) {
  const { stores, now, mirror } = context;
  const key = JSON.stringify(question);
  const cached = stores.of(orderScans).get(key);
  const kept = cached !== undefined && (isFurther || isUsable(cached, context)) ? cached : undefined;
  const mayBeElsewhere = isFurther && kept === undefined && stores.shared.isShared();
  const elsewhere = mayBeElsewhere ? await stores.shared.get(`scan ${key}`) : undefined;
  const isNew = kept === undefined && elsewhere === undefined;
  const begun = elsewhere === undefined ? now() : new Date(elsewhere.value);
  const copied = isNew ? await mirror?.records.orders(question.period, endsAt(begun, question.period)) : undefined;
  const scan = kept ?? createOrderScan(question, begun, copied);
  const mayKeep = (copied?.orders.length ?? 0) <= maxCopied;
  const keep = () => void (mayKeep && stores.of(orderScans).set(key, scan));
  return { scan, keep, isAgain: isFurther && isNew, isElsewhere: elsewhere !== undefined };
}

interface ReadTerms {
  readonly maxRequests: number;
  readonly isFurther?: boolean;
  /** `max_requests` of the call, if it has one. */
  readonly chosenMax?: number | undefined;
}

/**
 * Reads the orders of some statuses in a period. A further part continues where the part before ended, and so does another call with the same
 * question. Requests that the call already spent count, but at least one is left, so that every part makes progress.
 */
export async function readOrders(question: SaleQuestion, terms: ReadTerms, context: ToolContext) {
  const { api, now, progress, spent, stores } = context;
  const { isFurther = false, maxRequests, chosenMax } = terms;
  const { scan, isAgain, isElsewhere, keep } = await openScan(question, isFurther, context);
  const limit = Math.max(maxRequests, spent() + 1);
  // Calls at the same time share the scan. Caches again after reading, even after an error: pages are not read twice, and a
  // long reading does not use up the cache time.
  keep();
  const keeping = keepingAnswers(api, isElsewhere);
  await scan.readOn({ api: keeping, now, progress, left: () => limit - spent() }).finally(keep);
  if (stores.shared.isShared() && scan.copied === undefined) {
    await stores.shared.set(`scan ${JSON.stringify(question)}`, scan.asOf().toISOString(), scanTtlMs);
  }
  return {
    ...scan,
    /** Of the whole scan, now that it was read. */
    asOf: scan.asOf(),
    /** The earlier parts were no longer cached. */
    isAgain,
    /** Caches what was read for the next part, from now on. */
    keep,
    /** Why requests ran out, and what to do. */
    advice: moreRequests(chosenMax, 'go on with next_cursor'),
  };
}

export type ReadOrders = Awaited<ReturnType<typeof readOrders>>;

/** How fresh the orders of people are. */
export type PeopleSources = Pick<OrdersOfPeople, 'copied' | 'apiReadAt'>;

/** The buyers of orders, with the spellings of their email: the API matches it letter by letter. */
function peopleIn(orders: readonly SoldOrder[]) {
  return [...groupBy(orders, ({ buyer }) => buyer)].map(([buyer, own]) => {
    return { buyer, spellings: [...new Set([buyer, ...own.flatMap(({ email }) => email ?? [])])] };
  });
}

type Person = ReturnType<typeof peopleIn>[number];

const spellingOf = (email: string) => composed(email.trim());

/** The orders in the mirror, of people of whom it has at least the orders that were read. */
async function copyPeople(people: readonly Person[], seen: readonly SoldOrder[], { mirror }: ToolContext) {
  const found = people.length === 0 ? undefined : await mirror?.records.ordersOf(people.map(({ buyer }) => buyer));
  if (found === undefined) return undefined;
  const ids = new Set(found.orders.map(({ id }) => id));
  const unknown = new Set(seen.flatMap(({ id, buyer }) => (ids.has(id) ? [] : [buyer])));
  const known = people.filter(({ buyer }) => found.buyers.has(buyer) && !unknown.has(buyer));
  const own = new Map(known.map(({ buyer }): [string, SoldOrder[]] => [buyer, []]));
  // The same orders as by the API, which shows those of no other spelling.
  const spellings = new Set(known.flatMap((person) => person.spellings.map(spellingOf)));
  for (const order of found.orders) {
    if (spellings.has(spellingOf(order.email ?? ''))) own.get(order.buyer)?.push(order);
  }
  return { own, copied: { newUpTo: found.newUpTo, changesAsOf: found.changesAsOf } };
}

/**
 * Reads every order of the buyers of these orders, which a period leaves out: from the mirror, or by one request for each spelling
 * of an email. `key`: of the cache, for the next part.
 */
export async function readOrdersOfPeople(
  seen: readonly SoldOrder[],
  key: string,
  maxRequests: number,
  context: ToolContext,
) {
  const { api, stores, spent, progress, now, readAt } = context;
  const cache = stores.of(ordersOfPeople);
  const cached = cache.get(key);
  const isKept = cached !== undefined && cached.begun >= stores.of(lastWrite).at;
  const read: OrdersOfPeople = isKept
    ? cached
    : { begun: now().getTime(), known: new Map(), refused: new Set(), copied: undefined, apiReadAt: undefined };
  const left = () => maxRequests - spent();
  const isOpen = ({ buyer }: Person) => !read.known.has(buyer) && !read.refused.has(buyer);
  const people = peopleIn(seen);
  const copy = await copyPeople(people.filter(isOpen), seen, context);
  for (const [buyer, own] of copy?.own ?? []) read.known.set(buyer, own);
  if (copy !== undefined && copy.own.size > 0) {
    read.copied = read.copied === undefined ? copy.copied : olderFreshness(read.copied, copy.copied);
  }
  const run = async ({ spellings }: Person) => await readOrdersByEmail(api, spellings, { left, partly: true });
  const keep = ({ buyer }: Person, { orders: own, problem, isCut }: Awaited<ReturnType<typeof run>>) => {
    read.apiReadAt = olderTime(read.apiReadAt, readAt());
    const sorted = ordersOfBuyer(own, [buyer]);
    if ((problem ?? strayProblem(sorted)) !== undefined) read.refused.add(buyer);
    else if (!isCut) read.known.set(buyer, sorted.own);
  };
  const open = people.filter(isOpen);
  // As if each of them had as many spellings, which cost a request each, as the one with the most.
  const cost = open.reduce((most, { spellings }) => Math.max(most, spellings.length), 1);
  // Without a first person, a small max_requests would never end.
  const room = () => Math.max(Math.floor(left() / cost), spent() === 0 ? 1 : 0);
  const onProgress = (done: number) => progress(done, open.length, `checked ${done} of ${open.length} people`);
  const { stopped } = await inBatches(open, { run, keep }, { left: room, progress: onProgress });
  cache.set(key, read);
  /** Number of people that a further part of the answer reads. */
  const unread = stopped === undefined ? people.filter(isOpen).length : 0;
  return { ...read, left: unread, stopped };
}

/** What is known of people without a request: the orders of this scan, and those in the mirror. */
export async function knownHistory(
  buyers: readonly string[],
  scan: Omit<OrderScan, 'asOf'>,
  { mirror }: Pick<ToolContext, 'mirror'>,
) {
  const isEverything = scan.question().period.from === undefined && scan.isComplete();
  const copied = isEverything ? undefined : await mirror?.records.ordersOf(buyers);
  return {
    /** An order may occur twice. */
    orders: [...scan.all(), ...(copied?.orders ?? [])],
    /** Whether these are all orders of a person. */
    isWhole: (buyer: string) => isEverything || copied?.buyers.has(buyer) === true,
    sources: { copied, apiReadAt: undefined },
  };
}

interface StudentTerms extends Omit<StudentOrdersOptions, 'since' | 'copy'> {
  /** Whether the orders in the mirror answer the question. It has neither descriptions nor the times of changes. */
  readonly suffices?: (orders: readonly SoldOrder[]) => boolean;
}

/** Without `mirror`, the orders come from the API alone: as before a write, and after it. */
export type StudentSource = Pick<ToolContext, 'api'> & Partial<Pick<ToolContext, 'mirror' | 'stores' | 'has'>>;

/** Other students of the same name in the list that was read a short time ago, as when the name was looked up: no request. */
export function namesakesOf(person: Named, { stores, has }: Omit<StudentSource, 'api'>): string | undefined {
  const known = has?.('list_students') === true ? stores?.of(studentLists).get('all') : undefined;
  return known && namesakesText(person, known.students);
}

/** Reads a student, and every order of theirs: from the mirror if the student's details show the same paid orders now. */
export async function readStudent(email: string, terms: StudentTerms, source: StudentSource): Promise<StudentOrders> {
  const { api, mirror } = source;
  const { suffices = () => true, ...options } = terms;
  const copy = async (buyers: readonly string[]) => {
    const found = await mirror?.records.ordersOf(buyers);
    const isKnown = found !== undefined && buyers.every((buyer) => found.buyers.has(buyer));
    return isKnown && suffices(found.orders) ? found : undefined;
  };
  const known = await readStudentOrders(api, email, { ...options, copy });
  const namesakes = namesakesOf({ email, name: known.student.name }, source);
  return namesakes === undefined ? known : { ...known, namesakes };
}

interface AskedQuestion<Found> {
  readonly cursorScope: CursorScope;
  readonly statuses: SaleQuestion['statuses'];
  /** Looks up the products of the question, before any order is read. */
  readonly find: (cursor: OrderCursor) => Promise<Found>;
}

type Arguments = Parameters<typeof orderCursorFor>[0] & { readonly max_requests?: number | undefined };

/** Reads the orders for a question, from its period or its cursor on: all that this part of the answer may read. */
export async function askOrders<Found>(
  { max_requests: chosenMax, ...bounds }: Arguments,
  { cursorScope, statuses, find }: AskedQuestion<Found>,
  context: ToolContext,
) {
  const cursor = await orderCursorFor(bounds, cursorScope, context);
  const found = await find(cursor);
  const { period, isFurther } = cursor;
  const maxRequests = await requestsAllowed(chosenMax, context);
  const scan = await readOrders({ statuses, period }, { isFurther, maxRequests, chosenMax }, context);
  return { cursor, cursorScope, found, maxRequests, scan, context };
}

export type AskedOrders = Omit<Awaited<ReturnType<typeof askOrders>>, 'found' | 'maxRequests'>;

/** Whether the platform filters orders by status: checked once per process. */
const statusFilter: Store<{ isProven: boolean }> = () => ({ isProven: false });

/**
 * Why pending and failed orders may be missing although all statuses were requested; undefined if they are not. Some platforms
 * always return paid orders. If no unpaid order was returned, requests one pending order: one request, once per process.
 */
export async function statusFilterProblem(
  orders: readonly Pick<SoldOrder, 'status'>[],
  { api, stores }: Pick<ToolContext, 'api' | 'stores'>,
): Promise<string | undefined> {
  const filter = stores.of(statusFilter);
  filter.isProven ||= orders.some(isUnpaid);
  if (filter.isProven) return undefined;
  // A refusal proves nothing, and the answer does not depend on it.
  const answer = await undefinedIfFailed(api.call(listOrders, { status: 'pending', page: 1, per_page: 1 }));
  const isIgnored = answer?.items.some(({ status }) => !isUnpaid({ status: statusOf(status) })) ?? false;
  filter.isProven = answer !== undefined && !isIgnored;
  return isIgnored
    ? 'the API ignores the status filter and returns paid orders: pending and failed ones may be missing'
    : undefined;
}
