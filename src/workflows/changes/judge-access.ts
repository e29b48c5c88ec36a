import type { StudentOrders } from '../../api/student-orders.ts';
import type { Part } from '../../api/writes/journal.ts';
import { enrollStudent, grantRole, revokeBundle, revokeCourse, revokeRole } from '../../contract/access.ts';
import type { OldValues } from '../../contract/lookups/old-values.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
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

/** What would undo a write, or why nothing does. */
export type Judged =
  | { readonly operation: Operation; readonly input: Json; readonly text: string; readonly old?: OldValues }
  /** `isIdle`: nothing is left to undo. */
  | { readonly refused: string; readonly isIdle?: true };

interface Product {
  readonly kind: Extract<ProductKind, 'course' | 'bundle'>;
  readonly id: number;
  readonly ref: string;
}

function productOf(kind: Product['kind'], id: unknown): Product[] {
  return typeof id === 'number' ? [{ kind, id, ref: productRef(kind, id) }] : [];
}

/** When a grant was sent and answered, in milliseconds since 1970. */
export interface GrantTime {
  readonly ref: string;
  readonly from: number;
  readonly to: number;
}

/** Two clocks that differ by less than this are taken for one. */
const marginMs = minuteMs + 10_000;

export function grantTimes({ input, at, endedAt = at }: Part): GrantTime[] {
  const products = [...productOf('course', input.course_id), ...productOf('bundle', input.bundle_id)];
  return products.map(({ ref }) => ({ ref, from: at - marginMs, to: endedAt + marginMs }));
}

/** What one undo knows of students, beside what it reads. */
export interface AccessState {
  readonly students: Map<string, Promise<StudentOrders>>;
  /** "email ref" to what an earlier step of the same plan does: its effect is not there yet. */
  readonly planned: Map<string, 'given' | 'taken'>;
  /** Grants that this undo has made. */
  readonly grants: GrantTime[];
}

export const newAccessState = (): AccessState => ({ students: new Map(), planned: new Map(), grants: [] });

async function ordersOf(
  email: string,
  { students }: AccessState,
  { api }: ToolContext,
): Promise<StudentOrders | string> {
  const reading = students.get(email) ?? readStudent(email, {}, { api });
  students.set(email, reading);
  try {
    const known = await reading;
    if (known.problem !== undefined || known.isCut || known.detailsProblem !== undefined)
      return `not all orders of the student could be read (${known.problem ?? known.detailsProblem ?? 'too many'})`;
    return known;
  } catch (error) {
    students.delete(email);
    if (error instanceof AcademyError && error.code === 'not_found') return 'there is no such student now';
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

/** Takes a grant back, only if that takes nothing else. */
async function judgeGrant(part: Part, product: Product, state: AccessState, context: ToolContext): Promise<Judged> {
  const email = String(part.input.email);
  const { ref, kind, id } = product;
  const operation = kind === 'course' ? revokeCourse : revokeBundle;
  const idOf = kind === 'course' ? { course_id: id } : { bundle_id: id };
  const planned = state.planned.get(`${email} ${ref}`);
  const known = await ordersOf(email, state, context);
  if (typeof known === 'string') return { refused: known };
  const name = known.student.name ?? part.input.name;
  const input = kind === 'course' ? { email, name, ...idOf } : { email, ...idOf };
  if (planned === 'given')
    return { operation, input, text: `takes ${ref} from ${email} again, if no other order lists it` };
  if (planned === 'taken') return { refused: `${ref} is already taken from ${email}`, isIdle: true };
  const listing = known.orders.filter((order) => listsProduct(order, product) !== false);
  if (listing.length === 0) return { refused: `no order of ${email} lists ${ref} any more`, isIdle: true };
  const shift = context.clockShiftMs();
  const times = [...grantTimes(part), ...state.grants].filter((time) => time.ref === ref);
  const isOwn = (order: SoldOrder) =>
    isGrantedOrder(order) &&
    times.some(({ from, to }) => (order.at ?? 0) >= from + shift && (order.at ?? 0) <= to + shift);
  const own = listing.filter(isOwn);
  const [order] = own;
  if (order === undefined || own.length > 1) {
    const why = own.length > 1 ? 'several orders may be the one of this change' : 'no order of this change lists it';
    return {
      refused: `a revocation takes ${ref} off every order of ${email}: ${listing.map(orderText).join(', ')}; ${why}`,
    };
  }
  const others = inTheWay(known.orders, order, product);
  if (others.length > 0)
    return { refused: `a revocation takes ${ref} off every order of ${email}, and also: ${others.join(', ')}` };
  if (name === undefined && kind === 'course') return { refused: 'the name of the student could not be read' };
  const doubt = part.old?.values.held === false ? '' : '; whether they held it before without an order is not known';
  const refs = [ref, ...(kind === 'bundle' ? productsBesideBundle(known.orders, id).map((one) => one.ref) : [])];
  const text = `takes ${ref} from ${email}: off order ${order.id}, which stays, empty${doubt}`;
  return { operation, input, text, old: accessBefore(known.orders, refs) };
}

/** Grants again what a revocation took. */
async function judgeRevocation(
  part: Part,
  product: Product,
  state: AccessState,
  context: ToolContext,
): Promise<Judged> {
  const email = String(part.input.email);
  const { ref, kind, id } = product;
  const planned = state.planned.get(`${email} ${ref}`);
  const known = await ordersOf(email, state, context);
  if (typeof known === 'string') return { refused: known };
  const shown = coursesInDetails(known.student);
  const { state: now, doubts } = whoHolds(product, { orders: known.orders, shown, missing: undefined, recent: [] });
  if (planned === 'given' || (now === 'holds' && planned !== 'taken'))
    return { refused: `${email} holds ${ref} again`, isIdle: true };
  if (now === 'perhaps') return { refused: `it is not known whether ${email} holds ${ref}: ${doubts.join('; ')}` };
  const input = { email, ...(kind === 'course' ? { course_id: id } : { bundle_id: id }) };
  const text = `grants ${ref} to ${email} again, as a new order of amount 0: the old orders stay without it`;
  return { operation: enrollStudent, input, text, old: { values: { held: false } } };
}

const idsIn = (values: unknown) => (Array.isArray(values) ? values : []);

/** What undoes a write to a student's access: a step for each product. */
export async function judgeAccess(part: Part, state: AccessState, context: ToolContext): Promise<Judged[]> {
  const { operation, input, old } = part;
  const { email, role_id } = input;
  if (operation === grantRole.id || operation === revokeRole.id) {
    const isGrant = operation === grantRole.id;
    const what = isGrant ? `takes role ${role_id} from ${email}` : `gives role ${role_id} to ${email} again`;
    const text = `${what}; the API does not show whether they had it before`;
    return [{ operation: isGrant ? revokeRole : grantRole, input: { email, role_id }, text }];
  }
  if (operation === enrollStudent.id) {
    const products = [...productOf('course', input.course_id), ...productOf('bundle', input.bundle_id)];
    if (products.length === 0) return [{ refused: 'it wrote only the student, and the old name is not known' }];
    return await each(products, (product) => judgeGrant(part, product, state, context));
  }
  if (old === undefined) return [{ refused: 'it is not known what the orders listed before' }];
  const courses = idsIn(old.values.courses).flatMap((id) => productOf('course', id));
  const products = [...idsIn(old.values.bundles).flatMap((id) => productOf('bundle', id)), ...courses];
  if (products.length === 0) return [{ refused: 'no paid or granted order listed it before', isIdle: true }];
  return await each(products, (product) => judgeRevocation(part, product, state, context));
}

/** One after the other: each may read the same student. */
async function each<Item>(items: readonly Item[], judge: (item: Item) => Promise<Judged>): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const item of items) judged.push(await judge(item));
  return judged;
}

/** Remembers a step: planned, its effect is not there yet; sent, the student is read again before the next one. */
export function noteAccess(
  { operation, input }: Extract<Judged, { text: string }>,
  state: AccessState,
  sentAt?: number,
): void {
  const email = String(input.email);
  const products = [...productOf('course', input.course_id), ...productOf('bundle', input.bundle_id)];
  const isGrant = operation.id === enrollStudent.id;
  if (sentAt === undefined) {
    for (const { ref } of products) state.planned.set(`${email} ${ref}`, isGrant ? 'given' : 'taken');
    return;
  }
  state.students.delete(email);
  if (!isGrant) return;
  const times = products.map(({ ref }) => ({ ref, from: sentAt - marginMs, to: Date.now() + marginMs }));
  state.grants.push(...times);
}
