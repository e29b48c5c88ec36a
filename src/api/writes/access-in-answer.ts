import type { Operation } from '../../contract/operation.ts';
import { type ProductKind, productRef } from '../../insights/sales/product-ref.ts';
import { type ProductsRead, readProducts } from '../../insights/sales/products-in-order.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { isObject, type Json } from '../../shared/json.ts';

// The document does not show the answers of access operations. If an answer shows the student or their orders, this
// reads the effect of the call from them.

export type Effect = ReadonlyMap<string, unknown>;

const none: Effect = new Map();

const isSame = (shown: string, email: unknown) => buyerKey(shown) === buyerKey(String(email));

/** The student in an answer: under its key, under "data", or bare. */
function studentIn(body: Json, email: unknown): Json {
  const places = [body.student, body.data, body].filter(isObject);
  return places.find((place) => typeof place.email === 'string' && isSame(place.email, email)) ?? {};
}

function ordersIn(body: Json, student: Json): Json[] {
  return [body.order, body.orders, student.orders, student.paid_orders].flat().filter(isObject);
}

/** The email of another student in the answer of an access operation. What it shows is then not of this call. */
export function otherStudentIn({ id }: Operation, { email }: Json, body: unknown): string | undefined {
  if (!id.startsWith('access.') || !isObject(body)) return undefined;
  const own = [body.student, body.data, body].filter(isObject).map((place) => place.email);
  const buyers = ordersIn(body, {}).map((order) => order.user_email);
  const shown = [...own, ...buyers].filter((one) => typeof one === 'string');
  return shown.find((one) => one.includes('@') && !isSame(one, email));
}

/** Whether any of the records lists the product; false only if all lists can be read. */
function anyLists(records: readonly Json[], kind: ProductKind, id: number): boolean | undefined {
  const seen = records.map((record) => listsSurely(readProducts(record), kind, id));
  if (seen.includes(true)) return true;
  return seen.length > 0 && !seen.includes(undefined) ? false : undefined;
}

export function grantsIn(input: Json, body: Json): Effect {
  const student = studentIn(body, input.email);
  const orders = ordersIn(body, student);
  const requested = [['course_id', 'course'] as const, ['bundle_id', 'bundle'] as const].filter(
    ([name]) => input[name] !== undefined,
  );
  const shown = new Map<string, unknown>();
  if (student.name !== undefined && input.name !== undefined) shown.set('name', student.name);
  for (const [name, kind] of requested) {
    const isListed = anyLists(orders, kind, Number(input[name]));
    if (isListed === true) shown.set(name, input[name]);
    // Each product has its own order. If the call grants several, the answer may show the order of another one.
    else if (isListed === false && orders.length >= requested.length) shown.set(name, 'not in the order');
  }
  return shown;
}

export function revocationIn(name: 'course_id' | 'bundle_id', kind: ProductKind) {
  return (input: Json, body: Json): Effect => {
    const student = studentIn(body, input.email);
    const { enrolled_courses, courses = enrolled_courses, bundles } = student;
    const held = kind === 'course' ? { courses } : { bundles };
    return anyLists([held, ...ordersIn(body, student)], kind, Number(input[name])) === true
      ? new Map([[name, 'still listed']])
      : none;
  };
}

export function roleIn(isGrant: boolean) {
  return ({ email, role_id }: Json, body: Json): Effect => {
    const student = studentIn(body, email);
    const roles = student.roles ?? student.role_ids;
    if (!Array.isArray(roles)) return none;
    const ids = roles.map((role) => (isObject(role) ? role.id : role));
    if (!ids.every((id) => typeof id === 'number' || /^\d+$/.test(String(id)))) return none;
    const has = ids.some((id) => String(id) === String(role_id));
    if (has === isGrant) return new Map([['role_id', role_id]]);
    return new Map([['role_id', isGrant ? 'not among the roles' : 'still among the roles']]);
  };
}

export function payingIn({ email }: Json, body: Json): Effect {
  const { paying_student: paying } = studentIn(body, email);
  return paying === undefined || paying === null ? none : new Map([['paying_student', paying]]);
}

export function progressIn({ email }: Json, body: Json): Effect {
  const { course_completion_percent: percent } = studentIn(body, email);
  return typeof percent === 'number' ? new Map([['course_completion_percent', percent]]) : none;
}

/**
 * Whether the products of a record list one. False only if its list of that kind exists and every entry can be
 * read: a missing list, or one with strange entries, may hold the product in an unknown form.
 */
export function listsSurely(
  { products, unread, listed }: ProductsRead,
  kind: ProductKind,
  id: number,
): boolean | undefined {
  if (products.some(({ ref }) => ref === productRef(kind, id))) return true;
  return listed.includes(kind) && !unread.includes(kind) ? false : undefined;
}
