import type { Part } from '../../api/writes/journal.ts';
import { enrollStudent, grantRole, revokeBundle, revokeCourse, revokeRole } from '../../contract/access.ts';
import type { OldValues } from '../../contract/lookups.ts';
import type { Operation } from '../../contract/operation.ts';
import type { StudentEvidence } from '../../insights/enrollment/plan.ts';
import { isGrantedOrder, type ListedProduct, listsProduct, type SoldOrder } from '../../insights/sales/sold-order.ts';
import { whoHolds } from '../../insights/students/holdings.ts';
import { accessBefore, contentsOf } from '../../insights/students/order-losses.ts';
import { productNamed } from '../../mcp/titles.ts';
import type { ToolContext } from '../../mcp/tool.ts';
import type { Json } from '../../shared/json.ts';
import { clockMarginMs, readStudentEvidence } from '../enrollment/student-lookup.ts';

// Whether a grant can be taken back, and a revocation given back. In doubt neither is.

/** What becomes of a write. `lost`: its old value is not known. `conflict`: others have changed it since. */
export interface Verdict {
  readonly state: 'undone' | 'unknown' | 'lost' | 'conflict' | 'refused' | 'idle' | 'failed';
  readonly text: string;
  /** What undoes it; an outline has none. */
  readonly request?: { readonly operation: Operation; readonly input: Json; readonly old?: OldValues };
}

export const refused = (text: string): Verdict => ({ state: 'refused', text });
export const idle = (text: string): Verdict => ({ state: 'idle', text });

interface Target extends Omit<ListedProduct, 'kind'> {
  readonly kind: 'course' | 'bundle' | 'role';
  /** "course 3 of ann@example.com". */
  readonly holding: string;
}

type Product = Target & { readonly kind: 'course' | 'bundle' };

/** What a write to a student's access gave or took. */
export function targetsOf({ operation, input, old }: Part): Target[] {
  const { email, course_id, bundle_id, role_id } = input;
  const isGrant = operation === enrollStudent.id;
  const { courses, bundles } = isGrant ? { courses: course_id, bundles: bundle_id } : (old?.values ?? {});
  const of = (kind: Target['kind'], ids: unknown): Target[] =>
    [ids].flat().flatMap((id) => {
      const holding = `${kind} ${id} of ${String(email).toLowerCase()}`;
      return typeof id === 'number' ? [{ kind, id, ref: `${kind} ${id}`, title: undefined, holding }] : [];
    });
  return [...of('bundle', bundles), ...of('course', courses), ...of('role', role_id)];
}

const isBundle = ({ kind }: Pick<ListedProduct, 'kind'>) => kind === 'bundle';

const productsOf = (part: Part) =>
  targetsOf(part).flatMap(({ kind, ...one }): Product[] => (kind === 'role' ? [] : [{ ...one, kind }]));

/** What one undo has read of students, by their email. */
export type Students = Map<string, Promise<StudentEvidence>>;

const orderText = ({ id, status, amount, currency }: SoldOrder) =>
  `order ${id} (${[status, amount, currency].filter((one) => one !== undefined).join(' ')})`;

/** Orders of others that list the product, contain it, or list what it contains: a revocation would take it off them too. */
function inTheWay(orders: readonly SoldOrder[], isOurs: (order: SoldOrder) => boolean, product: Product): string[] {
  const others = orders.filter((order) => !isOurs(order));
  const contents = contentsOf(orders, product);
  const lists = (order: SoldOrder) => [product, ...contents].some((one) => listsProduct(order, one) !== false);
  const { carriers, doubts } = whoHolds(product, { orders: others });
  const found = new Set([...others.filter(lists), ...carriers]);
  const isUnknown = product.kind === 'bundle' && contents.length === 0 && others.some((one) => one.products.length > 0);
  const unknown = 'no order shows what the bundle contains, and the student has other orders';
  return [...[...found].map(orderText), ...doubts, ...(isUnknown ? [unknown] : [])];
}

/** The order of each product that these writes granted: at most one each. The API does not say which, but their times do. */
function ordersOf(grants: readonly Part[], orders: readonly SoldOrder[], shiftMs: number): Map<string, SoldOrder> {
  const found = new Map<string, SoldOrder>();
  for (const part of grants)
    for (const product of productsOf(part)) {
      const { at, endedAt = at } = part;
      const isNear = ({ at: time = 0 }: SoldOrder) =>
        time >= at + shiftMs - clockMarginMs && time <= endedAt + shiftMs + clockMarginMs;
      // A course that is granted alone has an order of its own, other than that of a bundle.
      const isOfBundle = (order: SoldOrder) => product.kind === 'course' && order.products.some(isBundle);
      const isFree = (order: SoldOrder) => ![...found.values()].includes(order) && !isOfBundle(order);
      const fitting = orders.filter((order) => isGrantedOrder(order) && isNear(order) && isFree(order));
      const own = fitting.find((order) => listsProduct(order, product) !== false);
      if (own !== undefined) found.set(`${part.id} ${product.ref}`, own);
    }
  return found;
}

/** Takes a grant back, only if that takes nothing but what this undo takes back as well. `grants`: all that it does. */
function judgeGrant(
  part: Part,
  product: Product,
  { orders, name }: StudentEvidence,
  { grants, shiftMs }: { readonly grants: readonly Part[]; readonly shiftMs: number },
): Verdict {
  const { input, old } = part;
  const email = String(input.email);
  const { ref, kind, id } = product;
  const listing = orders.filter((order) => listsProduct(order, product) !== false);
  if (listing.length === 0) return idle(`no order of ${email} lists ${ref} any more`);
  const ours = ordersOf(grants, orders, shiftMs);
  const own = ours.get(`${part.id} ${ref}`);
  const others = inTheWay(orders, (order) => order === own, product);
  const isOurs = (order: SoldOrder) => [...ours.values()].includes(order);
  // What lies in the way may go by this undo too, if nothing lies in the way of any of it.
  const isOnlyOurs =
    others.length > 0 && grants.flatMap(productsOf).every((one) => inTheWay(orders, isOurs, one).length === 0);
  if (own === undefined || (others.length > 0 && !isOnlyOurs)) {
    const all = [...(own === undefined ? [] : [orderText(own)]), ...others].join(', ');
    const why = own === undefined ? 'none of them is of this change' : 'not all of them are of this change';
    return refused(`a revocation takes ${ref} off every order of ${email}: ${all}; ${why}`);
  }
  const student = name ?? input.name;
  if (student === undefined && kind === 'course') return refused('the name of the student could not be read');
  const doubt = old?.values.held === false ? '' : '; whether they held it before without an order is not known';
  const written = input.name === undefined ? '' : '; the student stays, with the name that was sent';
  const before = accessBefore(orders, product);
  const named = productNamed(own.products.find((one) => one.ref === ref) ?? product);
  return {
    state: 'undone',
    text: `takes ${named} from ${email}: off order ${own.id}, which stays, empty${doubt}${written}`,
    request:
      kind === 'course'
        ? { operation: revokeCourse, input: { email, name: student, course_id: id }, old: before }
        : { operation: revokeBundle, input: { email, bundle_id: id }, old: before },
  };
}

function judgeRevocation({ input }: Part, product: Product, { orders, shown }: StudentEvidence): Verdict {
  const { ref, kind, id } = product;
  const email = String(input.email);
  const { state, doubts } = whoHolds(product, { orders, shown });
  if (state === 'holds') return idle(`${email} holds ${ref} again`);
  if (state === 'perhaps') return refused(`it is not known whether ${email} holds ${ref}: ${doubts.join('; ')}`);
  return {
    state: 'undone',
    text: `grants ${ref} to ${email} again, as a new order of amount 0: its days of access begin again, and the old orders stay without it`,
    request: { operation: enrollStudent, input: { email, [`${kind}_id`]: id }, old: { values: { held: false } } },
  };
}

function judgeRole({ operation, input: { email } }: Part, { id, ref }: Target): Verdict {
  const [what, undoing] =
    operation === grantRole.id
      ? [`takes ${ref} from ${email}`, revokeRole]
      : [`gives ${ref} to ${email} again`, grantRole];
  const text = `${what}; the API does not show whether they had it before`;
  return { state: 'undone', text, request: { operation: undoing, input: { email, role_id: id } } };
}

/**
 * What undoes a write to a student's access: a verdict for each product. Of several writes for the same product, only the
 * oldest one `decides` what the student held before all of them. `free`: all writes that are undone.
 */
export async function judgeAccess(
  part: Part,
  decides: (holding: string) => boolean,
  { students, free }: { readonly students: Students; readonly free: readonly Part[] },
  context: ToolContext,
): Promise<Verdict[]> {
  const { operation, input, old } = part;
  const isGrant = operation === enrollStudent.id;
  const email = String(input.email);
  const judge = async (target: Target): Promise<Verdict> => {
    const { holding, kind } = target;
    if (!decides(holding)) return idle(`${holding}: an older change of this undo decides`);
    if (kind === 'role') return judgeRole(part, target);
    const reading = students.get(email) ?? readStudentEvidence(email, context);
    students.set(email, reading);
    const known = await reading;
    if (known.isStudent === false) return refused('there is no such student now');
    const missing = known.missing ?? known.unread;
    if (missing !== undefined) return refused(`not all orders of the student could be read (${missing})`);
    const product = { ...target, kind };
    if (!isGrant) return judgeRevocation(part, product, known);
    const isSameStudent = (one: Part) => String(one.input.email).toLowerCase() === email.toLowerCase();
    const grants = free.filter((one) => one.operation === operation && isSameStudent(one));
    return judgeGrant(part, product, known, { grants, shiftMs: context.clockShiftMs() });
  };
  const targets = targetsOf(part);
  if (targets.length > 0) return await Promise.all(targets.map(judge));
  if (isGrant) return [refused('it wrote only the student, and the old name is not known')];
  return old === undefined
    ? [refused('it is not known what the orders listed before')]
    : [idle('no paid or granted order listed it before')];
}
