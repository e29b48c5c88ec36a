import type { KnownStudent } from '../../api/student-orders.ts';
import { unlessAbsent } from '../../api/undefined-if-not-found.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { type Grant, linesOf, type Person, type Standing } from '../../insights/enrollment/plan.ts';
import { readProducts } from '../../insights/sales/listed-products.ts';
import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { patiently } from '../retry-when-limited.ts';

/** How somebody stands, as it was read. */
export interface SeenStanding extends Standing {
  /** The orders that give access were shown, and none of them lists what is not held. */
  readonly isCertain: boolean;
}

/** How people of a list stand, by email without regard to case. */
export type Roster = Map<string, SeenStanding>;

/** Details at once: as many as a small account's limiter lets pass. */
const atOnce = 4;

function standingOf(student: KnownStudent | undefined, { course_id, bundle_id }: Grant): SeenStanding {
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
export async function lookUp({ email }: Person, grant: Grant, { api }: ToolContext): Promise<SeenStanding> {
  const asked = api.call(getStudentDetails, { email }, { priority: 'bulk' });
  return standingOf(await unlessAbsent(asked), grant);
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
export async function readRoster(people: readonly Person[], grant: Grant, context: ToolContext): Promise<Roster> {
  const each = linesOf(people).flatMap(({ person, isDouble }) => (isDouble ? [] : [person]));
  const roster: Roster = new Map();
  const patience = waitTeller(context, () => roster.size, each.length);
  const look = async (person: Person) => {
    const standing = await patiently(() => lookUp(person, grant, context), patience);
    roster.set(buyerKey(person.email), standing);
  };
  for (let from = 0; from < each.length; from += atOnce) {
    await Promise.all(each.slice(from, from + atOnce).map(look));
    context.progress(roster.size, each.length, `looked up ${roster.size} of ${each.length} students`);
  }
  return roster;
}
