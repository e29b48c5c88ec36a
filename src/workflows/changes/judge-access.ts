import type { StudentOrders } from '../../api/student-orders.ts';
import type { Part } from '../../api/writes/journal.ts';
import { enrollStudent, grantRole, revokeBundle, revokeCourse, revokeRole } from '../../contract/access.ts';
import type { OldValues } from '../../contract/lookups/old-values.ts';
import type { Operation } from '../../contract/operation.ts';
import type { ProductKind } from '../../insights/sales/products-in-order.ts';
import { isGrantedOrder, listsProduct, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { coursesInDetails } from '../../insights/students/courses-in-details.ts';
import { whoHolds } from '../../insights/students/holdings.ts';
import { accessBefore, productsBesideBundle } from '../../insights/students/order-losses.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import { minuteMs } from '../../shared/durations.ts';
import { AcademyError } from '../../shared/errors.ts';
import type { Json } from '../../shared/json.ts';
import { readStudent } from '../sales/read-orders.ts';

// Whether a grant can be taken back, and a revocation given back. In doubt neither is.

/** What would be done, and the request that does it; without one for an outline. */
export interface Step {
  readonly state?: never;
  readonly text: string;
  readonly operation?: Operation;
  readonly input?: Json;
  readonly old?: OldValues;
}

/** Why nothing is done. `conflict`: changed since by others. `idle`: nothing is left to do. */
export interface NoStep {
  readonly state: 'lost' | 'conflict' | 'refused' | 'idle' | 'failed';
  readonly text: string;
}

export type Verdict = Step | NoStep;

export const noStep = (state: NoStep['state'], text: string): NoStep => ({ state, text });
export const refused = (text: string) => noStep('refused', text);
export const idle = (text: string) => noStep('idle', text);

/** A role, or a product that a write gave or a revocation took. */
interface Target {
  readonly kind: Extract<ProductKind, 'course' | 'bundle'> | 'role';
  readonly id: number;
  /** "course 3". */
  readonly ref: string;
  /** "course 3 of ann@example.com". */
  readonly holding: string;
}

/** What a write to a student's access gave or took. */
export function targetsOf({ operation, input, old }: Part): Target[] {
  const { email, course_id, bundle_id, role_id } = input;
  const isGrant = operation === enrollStudent.id;
  const { courses, bundles } = isGrant ? { courses: course_id, bundles: bundle_id } : (old?.values ?? {});
  const of = (kind: Target['kind'], ids: unknown): Target[] =>
    [ids].flat().flatMap((id) => {
      const holding = `${kind} ${id} of ${String(email).toLowerCase()}`;
      return typeof id === 'number' ? [{ kind, id, ref: `${kind} ${id}`, holding }] : [];
    });
  return [...of('bundle', bundles), ...of('course', courses), ...of('role', role_id)];
}

type Product = Target & { readonly kind: Exclude<Target['kind'], 'role'> };
const isProduct = (target: Target): target is Product => target.kind !== 'role';

/** What one undo has read of students, by their email. */
export type Students = Map<string, Promise<StudentOrders>>;

/** A verdict if not all is known of the student: then nothing is taken or given. */
async function ordersOf(email: string, students: Students, { api }: ToolContext): Promise<StudentOrders | NoStep> {
  const reading = students.get(email) ?? readStudent(email, {}, { api });
  students.set(email, reading);
  try {
    const known = await reading;
    const { problem, isCut, detailsProblem } = known;
    if (problem === undefined && !isCut && detailsProblem === undefined) return known;
    return noStep(
      'refused',
      `not all orders of the student could be read (${problem ?? detailsProblem ?? 'too many'})`,
    );
  } catch (error) {
    students.delete(email);
    if (error instanceof AcademyError && error.code === 'not_found') return refused('there is no such student now');
    throw error;
  }
}

const orderText = ({ id, status, amount, currency }: SoldOrder) =>
  `order ${id} (${[status, amount, currency].filter((one) => one !== undefined).join(' ')})`;

/** Other orders that list the product, contain it, or list what it contains: a revocation would take it off them too. */
function inTheWay(orders: readonly SoldOrder[], own: SoldOrder, product: Product): string[] {
  const others = orders.filter((order) => order !== own);
  const contents = product.kind === 'bundle' ? productsBesideBundle(orders, product.id) : [];
  const lists = (order: SoldOrder) => [product, ...contents].some((one) => listsProduct(order, one) !== false);
  const { carriers, doubts } = whoHolds(product, { orders: others, shown: undefined, missing: undefined, recent: [] });
  const found = [...[...new Set([...others.filter(lists), ...carriers])].map(orderText), ...doubts];
  const isClosed =
    product.kind === 'bundle' && contents.length === 0 && others.some((order) => order.products.length > 0);
  return isClosed ? [...found, 'no order shows what the bundle contains, and the student has other orders'] : found;
}

/** Two clocks that differ by less than this are taken for one. */
const marginMs = minuteMs + 10_000;

/** Takes a grant back, only if that takes nothing else. */
function judgeGrant(part: Part, product: Product, known: StudentOrders, { clockShiftMs }: ToolContext): Verdict {
  const { at, endedAt = at, input, old } = part;
  const email = String(input.email);
  const { ref, kind, id } = product;
  const listing = known.orders.filter((order) => listsProduct(order, product) !== false);
  if (listing.length === 0) return idle(`no order of ${email} lists ${ref} any more`);
  const [from, to] = [at - marginMs + clockShiftMs(), endedAt + marginMs + clockShiftMs()];
  const isOwn = (order: SoldOrder) => isGrantedOrder(order) && (order.at ?? 0) >= from && (order.at ?? 0) <= to;
  const [order, ...more] = listing.filter(isOwn);
  const everywhere = `a revocation takes ${ref} off every order of ${email}`;
  if (order === undefined || more.length > 0) {
    const why =
      order === undefined ? 'no order of this change lists it' : 'several orders may be the one of this change';
    return refused(`${everywhere}: ${listing.map(orderText).join(', ')}; ${why}`);
  }
  const others = inTheWay(known.orders, order, product);
  if (others.length > 0) return refused(`${everywhere}, and also: ${others.join(', ')}`);
  const name = known.student.name ?? input.name;
  if (name === undefined && kind === 'course') return refused('the name of the student could not be read');
  const doubt = old?.values.held === false ? '' : '; whether they held it before without an order is not known';
  return {
    ...(kind === 'course'
      ? { operation: revokeCourse, input: { email, name, course_id: id } }
      : { operation: revokeBundle, input: { email, bundle_id: id } }),
    text: `takes ${ref} from ${email}: off order ${order.id}, which stays, empty${doubt}`,
    old: accessBefore(known.orders, kind, id),
  };
}

/** Grants again what a revocation took. */
function judgeRevocation({ input }: Part, product: Product, { orders, student }: StudentOrders): Verdict {
  const { ref, kind, id } = product;
  const email = String(input.email);
  const shown = coursesInDetails(student);
  const { state, doubts } = whoHolds(product, { orders, shown, missing: undefined, recent: [] });
  if (state === 'holds') return idle(`${email} holds ${ref} again`);
  if (state === 'perhaps') return refused(`it is not known whether ${email} holds ${ref}: ${doubts.join('; ')}`);
  return {
    operation: enrollStudent,
    input: { email, [`${kind}_id`]: id },
    text: `grants ${ref} to ${email} again, as a new order of amount 0: the old orders stay without it`,
    old: { values: { held: false } },
  };
}

function judgeRole({ operation, input: { email } }: Part, { id, ref }: Target): Verdict {
  const isGrant = operation === grantRole.id;
  const what = isGrant ? `takes ${ref} from ${email}` : `gives ${ref} to ${email} again`;
  const text = `${what}; the API does not show whether they had it before`;
  return { operation: isGrant ? revokeRole : grantRole, input: { email, role_id: id }, text };
}

/**
 * What undoes a write to a student's access: a verdict for each product. Of several writes for the same product, only the
 * oldest one `decides` what the student held before all of them.
 */
export async function judgeAccess(
  part: Part,
  decides: (holding: string) => boolean,
  students: Students,
  context: ToolContext,
): Promise<Verdict[]> {
  const isGrant = part.operation === enrollStudent.id;
  const judge = async (target: Target): Promise<Verdict> => {
    const { holding } = target;
    if (!decides(holding)) return idle(`${holding}: an older change of this undo decides`);
    if (!isProduct(target)) return judgeRole(part, target);
    const known = await ordersOf(String(part.input.email), students, context);
    if (!('orders' in known)) return known;
    return isGrant ? judgeGrant(part, target, known, context) : judgeRevocation(part, target, known);
  };
  const targets = targetsOf(part);
  if (targets.length > 0) return await Promise.all(targets.map(judge));
  if (isGrant) return [refused('it wrote only the student, and the old name is not known')];
  return part.old === undefined
    ? [refused('it is not known what the orders listed before')]
    : [idle('no paid or granted order listed it before')];
}
