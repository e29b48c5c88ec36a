import type * as access from '../../../contract/access.ts';
import { getCourseCompletion } from '../../../contract/courses.ts';
import { getStudentDetails } from '../../../contract/students.ts';
import {
  type ProductKind,
  type ProductsRead,
  productRef,
  readProducts,
} from '../../../insights/sales/products-in-order.ts';
import { holds, listsProduct, type SoldOrder, saleKind } from '../../../insights/sales/sold-order.ts';
import { recentGrantText } from '../../../insights/students/holdings.ts';
import type { Api } from '../../api.ts';
import { undefinedIfNotFound } from '../../partial-failure.ts';
import { readStudentOrders } from '../../student-orders.ts';
import { cannotTell, notSeen, type Verification, type Verifier, type VerifierContext } from './verifier.ts';

/** Undefined: it cannot be read. */
type Answer = boolean | undefined;

/** Which grant to look for. */
interface GrantQuestion {
  readonly kind: 'course' | 'bundle';
  readonly id: number;
  readonly since: Date;
  /** For an order whose time cannot be read: whether it is missing from an earlier read of the student's orders. */
  readonly hasAppeared: (order: SoldOrder) => Answer;
}

const idle: ReadonlySet<string | undefined> = new Set(['pending', 'failed']);

/** Only an order that is known to be bought, pending or failed is not a grant. An amount of null may be a grant. */
function mayBeGrant(order: SoldOrder): boolean {
  const kind = saleKind(order);
  return (kind === 'granted' || kind === 'unreadable') && !idle.has(order.status);
}

function isRecent(order: SoldOrder, { since, hasAppeared }: GrantQuestion): Answer {
  return order.at === undefined ? hasAppeared(order) : order.at >= since.getTime();
}

/** A course in the order of a bundle is not a grant of the course. */
function listsAlone(order: SoldOrder, { kind, id }: GrantQuestion): Answer {
  const isListed = listsProduct(order, { kind, ref: productRef(kind, id) });
  const hasBundle = kind === 'course' && order.products.some((product) => product.kind === 'bundle');
  return isListed !== false && hasBundle ? false : isListed;
}

/** True if both are true. Undefined if one cannot be read and the other is not false. */
function both(one: Answer, other: Answer): Answer {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}

interface GrantFound {
  readonly order?: SoldOrder;
  /** An order exists that may be the grant. */
  readonly isUnclear: boolean;
}

/** Finds a recent grant of one product among a student's orders. */
function findGrant(orders: readonly SoldOrder[], question: GrantQuestion): GrantFound {
  const judged = orders
    .filter(mayBeGrant)
    .map((order) => ({ order, answer: both(listsAlone(order, question), isRecent(order, question)) }));
  const order = judged.find(({ answer }) => answer === true)?.order;
  if (order !== undefined) return { order, isUnclear: false };
  return { isUnclear: judged.some(({ answer }) => answer === undefined) };
}

/** Without a product the call only writes the student: the name shows that it was applied. */
async function verifyStudent(
  api: Api,
  email: string,
  name: string | undefined,
  isBeforeWrite: boolean,
): Promise<Verification> {
  const details = await undefinedIfNotFound(api.call(getStudentDetails, { email }));
  if (details === undefined || (name !== undefined && details.name !== name)) return notSeen;
  // A second call may change the student in ways that are not visible, so an existing student is no reason to skip it.
  return isBeforeWrite ? cannotTell : { state: 'seen', where: 'get_student_details' };
}

/** Each granted product has its own order. A course in the order of a bundle is not that order. */
export const verifyEnrollment: Verifier<typeof access.enrollStudent> = async (
  input,
  { api, since, isBeforeWrite, orders: seen, recentGrants },
) => {
  const { email, name, course_id: course, bundle_id: bundle } = input;
  if (course === undefined && bundle === undefined) {
    return await verifyStudent(api, email, name, isBeforeWrite);
  }
  const requested = [
    ...(course === undefined ? [] : [{ kind: 'course' as const, id: course }]),
    ...(bundle === undefined ? [] : [{ kind: 'bundle' as const, id: bundle }]),
  ];
  // Read late, when the first answer has given the server's time.
  const known = await undefinedIfNotFound(
    readStudentOrders(api, email, {
      ordersAlone: true,
      get since() {
        return since();
      },
    }),
  );
  const recent = isBeforeWrite ? await recentGrants(email) : [];
  const isShown = (ref: string) => known?.orders.some((order) => holds(order, ref)) === true;
  const hidden = requested
    .map(({ kind, id }) => productRef(kind, id))
    .flatMap((ref) => {
      const given = isShown(ref) ? undefined : recent.find((one) => one.ref === ref);
      return given === undefined ? [] : [`a grant of ${ref}, ${recentGrantText(given)},`];
    });
  if (hidden.length === requested.length)
    return { state: 'seen', where: 'the memory of this server', found: hidden.join(' and ') };
  if (known === undefined) return notSeen;
  const hasAppeared = ({ id }: SoldOrder) => seen.hasAppeared(email, id);
  const grants = requested.map((product) => findGrant(known.orders, { ...product, since: since(), hasAppeared }));
  if (!known.isCut && known.problem === undefined) seen.noteFullRead(email);
  const missing = grants.filter(({ order }) => order === undefined);
  // An order that could not be read may be the one.
  const isUnclear = known.isCut || known.problem !== undefined || missing.some((grant) => grant.isUnclear);
  if (missing.length > 0) return isUnclear ? cannotTell : notSeen;
  const isIdentical = name === undefined || name === known.student.name;
  const what = `an order of amount 0 of ${grants[0]?.order?.created_at ?? 'just now'}`;
  return { state: 'seen', where: 'list_orders', isIdentical, found: what };
};

export const verifyUnenrollment: Verifier<typeof access.unenrollStudent> = async ({ email }, { api }) => {
  const paying = (await api.call(getStudentDetails, { email })).paying_student;
  if (paying === undefined) return cannotTell;
  return paying ? notSeen : { state: 'seen', where: 'get_student_details' };
};

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

/**
 * A product is proved to be removed only if all lists can be read, with all entries, and one of the orders listed it
 * before: otherwise it may still be there in an unknown form.
 */
async function verifyRevocation(
  email: string,
  kind: 'course' | 'bundle',
  id: number,
  context: VerifierContext,
): Promise<Verification> {
  const { student, orders, isWhole, isCut, problem } = await readStudentOrders(context.api, email, {
    ordersAlone: true,
  });
  const { enrolled_courses: courses } = student;
  const places = [...(kind === 'course' && courses !== undefined ? [readProducts({ courses })] : []), ...orders];
  const listed = places.map((place) => listsSurely(place, kind, id));
  if (listed.includes(true)) return notSeen;
  const wasListed = orders.some((order) => context.orders.hasListed(order.id, productRef(kind, id)));
  const isRead = isWhole && !isCut && problem === undefined && !listed.includes(undefined);
  return wasListed && isRead ? { state: 'seen', where: 'list_orders' } : cannotTell;
}

export const verifyCourseRevocation: Verifier<typeof access.revokeCourse> = ({ email, course_id: id }, context) =>
  verifyRevocation(email, 'course', id, context);

export const verifyBundleRevocation: Verifier<typeof access.revokeBundle> = ({ email, bundle_id: id }, context) =>
  verifyRevocation(email, 'bundle', id, context);

export const verifyProgressReset: Verifier<typeof access.resetCourseProgress> = async (input, { api }) => {
  const { email: user_email, course_id } = input;
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, { course_id, user_email });
  if (percent === undefined) return cannotTell;
  // Above 0, the progress may have been reset and lessons completed since.
  return percent === 0 ? { state: 'seen', where: 'get_course_completion' } : notSeen;
};
