import type { KnownStudent } from '../../api/student-orders.ts';
import { undefinedIfNotFound } from '../../api/undefined-if-not-found.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { type Grant, type Holdings, linesOf, type Person } from '../../insights/enrollment/plan.ts';
import { readProducts } from '../../insights/sales/listed-products.ts';
import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { retryWhenLimited } from '../retry-when-limited.ts';

/** How somebody stands, as it was read. */
export interface SeenHoldings extends Holdings {
  /** The orders that give access were shown, and none of them lists what is not held. */
  readonly isCertain: boolean;
}

/** How people of a list stand, by email without regard to case. */
export type StudentLookup = Map<string, SeenHoldings>;

/** Details at once: as many as a small account's limiter lets pass. */
const atOnce = 4;

function holdingsOf(student: KnownStudent | undefined, { course_id, bundle_id }: Grant): SeenHoldings {
  const { enrolled_courses, paid_orders = [] } = student ?? {};
  const refs = new Set(paid_orders.flatMap((order) => readProducts(order).products).map(({ ref }) => ref));
  const lists = (kind: ProductKind, id: number | undefined) => id !== undefined && refs.has(productRef(kind, id));
  const ordered = lists('course', course_id);
  const holdsCourse = enrolled_courses?.some(({ id }) => id === course_id) ?? ordered;
  const isShown = student === undefined || student.paid_orders !== undefined;
  return {
    isStudent: student !== undefined,
    name: student?.name,
    holdsCourse,
    holdsBundle: lists('bundle', bundle_id),
    isCertain: isShown && (holdsCourse || !ordered),
  };
}

/** Reads how one person stands, by one request. */
export async function lookUp({ email }: Person, grant: Grant, { api }: ToolContext): Promise<SeenHoldings> {
  const asked = api.call(getStudentDetails, { email }, { priority: 'bulk' });
  return holdingsOf(await undefinedIfNotFound(asked), grant);
}

/** Waits of the account's limit, told as progress and counted. */
export function waitTeller({ progress, signal, waiting }: ToolContext, done: () => number, total: number) {
  const onWait = (seconds: number) => {
    progress(done(), total, `waiting ${seconds} s for the request limit`);
    return waiting();
  };
  return { signal, onWait };
}

/** Reads how each person of a list stands, one request each. */
export async function lookUpStudents(
  people: readonly Person[],
  grant: Grant,
  context: ToolContext,
): Promise<StudentLookup> {
  const each = linesOf(people).flatMap(({ person, isDouble }) => (isDouble ? [] : [person]));
  const lookup: StudentLookup = new Map();
  const patience = waitTeller(context, () => lookup.size, each.length);
  const look = async (person: Person) => {
    const holdings = await retryWhenLimited(() => lookUp(person, grant, context), patience);
    lookup.set(buyerKey(person.email), holdings);
  };
  for (let from = 0; from < each.length; from += atOnce) {
    await Promise.all(each.slice(from, from + atOnce).map(look));
    context.progress(lookup.size, each.length, `looked up ${lookup.size} of ${each.length} students`);
  }
  return lookup;
}
