import { maxConcurrentRequests } from '../../api/pages.ts';
import { recordFailureOf, undefinedIfNotFound } from '../../api/partial-failure.ts';
import type { StudentOrders } from '../../api/student-orders.ts';
import type { Person, StudentEvidence } from '../../insights/enrollment/plan.ts';
import { buyerKey, holds, isGrantedOrder, type SoldOrder } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { createStores } from '../../mcp/workflow-stores.ts';
import { minuteMs } from '../../shared/durations.ts';
import { readOrders, readStudent } from '../sales/read-orders.ts';

/** Limit for one person: an API that does not filter by email returns the orders of everybody. */
const maxPages = 8;

export interface StudentReading extends StudentEvidence {
  readonly requests: number;
}

function missingIn({ isCut, discarded, problem }: StudentOrders): string | undefined {
  const ignored = discarded > 0 ? ', because the API does not filter orders by email' : '';
  return problem ?? (isCut ? `only ${maxPages} pages of orders were read${ignored}` : undefined);
}

/** Reads everything that shows what one person holds: their details and their orders of every status. */
export async function readStudentEvidence(
  email: string,
  { api, recentGrants }: Pick<ToolContext, 'api' | 'recentGrants'>,
): Promise<StudentReading> {
  const recent = await recentGrants(email);
  let pages = 0;
  const progress = (done: number) => {
    pages = done;
  };
  const terms = { ordersAlone: true, partly: true, left: () => maxPages - pages, progress } as const;
  const reading = undefinedIfNotFound(readStudent(email, terms, { api }));
  const known = await reading.catch((error: unknown) => {
    const why = recordFailureOf(error, false);
    if (why === undefined) throw error;
    return why;
  });
  if (known === undefined || typeof known === 'string') {
    const isStudent = known === undefined ? false : undefined;
    return { isStudent, name: undefined, unread: known, missing: known, orders: [], recent, requests: 1 + pages };
  }
  const { student, detailsProblem: unread, orders, shown, requests } = known;
  // A person with an order is a student.
  const isStudent = unread === undefined || orders.length > 0 ? true : undefined;
  // Not all that was read: a class has a thousand students.
  return { isStudent, name: student.name, unread, orders, recent, requests, missing: missingIn(known), shown };
}

/** Reads what shows what each person of a list holds, by buyer. `known`: all of it, if it is known already. */
export async function lookUpStudents(
  people: ReadonlyMap<string, Person>,
  known: (buyer: string) => Promise<StudentReading | undefined>,
  context: ToolContext,
): Promise<Map<string, StudentReading>> {
  const found = new Map<string, StudentReading>();
  const buyers = [...people];
  const read = async ([buyer, { email }]: readonly [string, Person]) =>
    found.set(buyer, (await known(buyer)) ?? (await readStudentEvidence(email, context)));
  for (let from = 0; from < buyers.length; from += maxConcurrentRequests) {
    await Promise.all(buyers.slice(from, from + maxConcurrentRequests).map(read));
    context.progress(found.size, buyers.length, `looked up ${found.size} of ${buyers.length} students`);
  }
  return found;
}

/** Two clocks that differ by less than this are taken for one. */
export const clockMarginMs = minuteMs + 10_000;

/**
 * Finds the ids of the orders of amount 0 since a time that give a person one of these products: one request, or one
 * for each page. It never fails the call, whose results would be lost.
 */
export async function grantedSince(from: number, pages: number, context: ToolContext) {
  const { timezone, now } = context;
  const period = { from: from - clockMarginMs, to: now().getTime() + clockMarginMs, timezone };
  const fresh = { ...context, stores: createStores(), mirror: undefined };
  const reading = readOrders({ statuses: ['paid'], period }, { maxRequests: context.spent() + pages }, fresh);
  // The API may show those of the whole day.
  const isNew = (order: SoldOrder) => isGrantedOrder(order) && order.at !== undefined && order.at >= period.from;
  const orders = (await reading.catch(() => undefined))?.all().filter(isNew) ?? [];
  return (email: string, refs: readonly string[]): string[] => {
    const isOwn = (one: SoldOrder) => one.buyer === buyerKey(email) && refs.some((ref) => holds(one, ref));
    return orders.filter(isOwn).map(({ id }) => id);
  };
}
