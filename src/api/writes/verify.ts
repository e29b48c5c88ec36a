import type * as access from '../../contract/access.ts';
import { createChannel, searchChannels, updateChannel } from '../../contract/community.ts';
import { createLesson, getCourseCompletion, getCourseStructure, updateLesson } from '../../contract/courses.ts';
import type { OperationById, WriteId } from '../../contract/index.ts';
import { type CourseOfLesson, lessonsOf, type OldValues, oldValuesLookup } from '../../contract/lookups.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { updateProduct } from '../../contract/products.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { productRef, readProducts } from '../../insights/sales/products-in-order.ts';
import { holds, type ListedProduct, listsProduct, type SoldOrder, saleKind } from '../../insights/sales/sold-order.ts';
import { productsIn, type RecentGrant, recentGrantText } from '../../insights/students/holdings.ts';
import type { Api } from '../api.ts';
import { undefinedIfNotFound } from '../partial-failure.ts';
import { readStudentOrders } from '../student-orders.ts';
import { compareFields } from './judge-answer.ts';

/** What reading back shows of a write. If `seen`: the record, if the API gives one, and the tool that shows it. */
export type Verification =
  | {
      readonly state: 'seen';
      readonly record?: object;
      readonly where: string;
      /** What was found, in a few words; for a create. */
      readonly found?: string;
      /** False if the record may differ from the request in fields that are not visible. */
      readonly isIdentical?: boolean;
    }
  | { readonly state: 'not_seen' }
  | { readonly state: 'cannot_tell' };

export type SeenEffect = Extract<Verification, { state: 'seen' }>;

export interface VerifierContext {
  readonly api: Api;
  /** Older effects are not those of this call. In the server's time, as far as it is known when this is called. */
  readonly since: () => Date;
  /** What this server gave a student in the last ten minutes, and the platform may not show yet. */
  readonly recentGrants: (email: string) => Promise<readonly RecentGrant[]>;
  readonly old: OldValues | undefined;
  /** Nothing has been sent yet. An effect that is visible then may make this write unnecessary. */
  readonly isBeforeWrite: boolean;
  readonly courseOfLesson: CourseOfLesson;
}

/** Checks whether the effect of a write is visible. Sends read requests only, and throws their errors. */
export type Verifier<O extends Operation> = (input: InputOf<O>, context: VerifierContext) => Promise<Verification>;

export const notSeen: Verification = { state: 'not_seen' };
export const cannotTell: Verification = { state: 'cannot_tell' };

const noVerifier = async (): Promise<Verification> => cannotTell;

/** Only an order that is known to be bought, pending or failed is not a grant. An amount of null may be a grant. */
function mayBeGrant(order: SoldOrder): boolean {
  const kind = saleKind(order);
  return (kind === 'granted' || kind === 'unreadable') && order.status !== 'pending' && order.status !== 'failed';
}

/** Whether an order is the grant of a product of this call; undefined if it cannot be read. */
function isGrantOf(order: SoldOrder, product: ListedProduct, since: Date): boolean | undefined {
  const isListed = listsProduct(order, product);
  // A course in the order of a bundle is not a grant of the course.
  const isOfBundle = product.kind === 'course' && order.products.some(({ kind }) => kind === 'bundle');
  const isOld = order.at !== undefined && order.at < since.getTime();
  if (isListed === false || isOfBundle || isOld) return false;
  return order.at === undefined ? undefined : isListed;
}

type EnrollmentVerifier = Verifier<typeof access.enrollStudent>;

/** Without a product the call only writes the student: the name shows that it was applied. */
const verifyStudent: EnrollmentVerifier = async ({ email, name }, { api, isBeforeWrite }) => {
  const details = await undefinedIfNotFound(api.call(getStudentDetails, { email }));
  if (details === undefined || (name !== undefined && details.name !== name)) return notSeen;
  // A second call may change the student in ways that are not visible, so an existing student is no reason to skip it.
  return isBeforeWrite ? cannotTell : { state: 'seen', where: 'get_student_details' };
};

const memory = 'the memory of this server';

/** Its order or, if none shows the product yet, our memory. `unclear`: an unreadable order may be it. */
function findGrant(product: ListedProduct, orders: readonly SoldOrder[], since: Date, recent: RecentGrant | undefined) {
  const grants = orders.filter(mayBeGrant);
  // The order of a recent grant of this server may have a time that cannot be read.
  const own = grants.find((order) => isGrantOf(order, product, since) ?? recent !== undefined);
  if (own !== undefined) return { where: 'list_orders', what: `an order of amount 0 of ${own.created_at}` };
  if (recent !== undefined && !orders.some((order) => holds(order, product.ref)))
    return { where: memory, what: `a grant of ${recent.ref}, ${recentGrantText(recent)},` };
  return grants.some((order) => isGrantOf(order, product, since) === undefined) ? 'unclear' : undefined;
}

/** Each granted product has its own order. A course in the order of a bundle is not that order. */
const verifyEnrollment: EnrollmentVerifier = async (input, context) => {
  const { api, since, isBeforeWrite, recentGrants } = context;
  const { email, name } = input;
  const wanted = productsIn(input);
  if (wanted.length === 0) return await verifyStudent(input, context);
  const known = await undefinedIfNotFound(readStudentOrders(api, email, { ordersAlone: true, since }));
  const recent = isBeforeWrite ? await recentGrants(email) : [];
  const found = wanted.map((product) => {
    const grant = recent.find(({ ref }) => ref === product.ref);
    return findGrant(product, known?.orders ?? [], since(), grant);
  });
  const seen = found.filter((one) => typeof one === 'object');
  const [{ where } = { where: memory }] = seen;
  if (seen.length === wanted.length) {
    const isIdentical = where === memory || name === undefined || name === known?.student.name;
    return { state: 'seen', where, isIdentical, found: seen.map(({ what }) => what).join(' and ') };
  }
  if (known === undefined) return notSeen;
  return known.isCut || known.problem !== undefined || found.includes('unclear') ? cannotTell : notSeen;
};

const verifyUnenrollment: Verifier<typeof access.unenrollStudent> = async ({ email }, { api }) => {
  const paying = (await api.call(getStudentDetails, { email })).paying_student;
  if (paying === undefined) return cannotTell;
  return paying ? notSeen : { state: 'seen', where: 'get_student_details' };
};

/** Proved only if every list can be read and one of the orders listed the product before: its form may be unknown. */
async function verifyRevocation(
  email: string,
  kind: 'course' | 'bundle',
  id: number,
  { api, old }: VerifierContext,
): Promise<Verification> {
  const known = await readStudentOrders(api, email, { ordersAlone: true });
  const { student, orders, isWhole, isCut, problem } = known;
  const { enrolled_courses: courses } = student;
  const places = [...(kind === 'course' && courses !== undefined ? [readProducts({ courses })] : []), ...orders];
  if (places.some((source) => holds(source, productRef(kind, id)))) return notSeen;
  const { orders: before, bundles } = old?.values ?? {};
  const wasListed =
    orders.some((order) => [before].flat().includes(order.id)) && (kind === 'course' || [bundles].flat().includes(id));
  const isListRead = places.every(({ listed, unread }) => listed.includes(kind) && !unread.includes(kind));
  const isRead = isListRead && isWhole && !isCut && problem === undefined;
  return wasListed && isRead ? { state: 'seen', where: 'list_orders' } : cannotTell;
}

const verifyProgressReset: Verifier<typeof access.resetCourseProgress> = async (input, { api }) => {
  const { email: user_email, course_id } = input;
  const { course_completion_percent: percent } = await api.call(getCourseCompletion, { course_id, user_email });
  if (percent === undefined) return cannotTell;
  // Above 0, the progress may have been reset and lessons completed since.
  return percent === 0 ? { state: 'seen', where: 'get_course_completion' } : notSeen;
};

/** Compares the arguments of a call with what is shown now. A field that is not shown, or in another form, leaves it open. */
function compare(operation: Operation, sent: object, { values, cut, id }: OldValues, where: string): Verification {
  const results = compareFields(operation, { ...sent }, values, values, cut).map(([, result]) => result);
  if (results.includes('other')) return notSeen;
  return results.every((result) => result === 'same')
    ? { state: 'seen', record: { id, ...values }, where }
    : cannotTell;
}

const verifyUpdate =
  (operation: typeof updateLesson | typeof updateProduct | typeof updateChannel) =>
  async (sent: object, { api, courseOfLesson }: VerifierContext): Promise<Verification> => {
    const shown = await oldValuesLookup(operation.id)?.({ ...sent }, courseOfLesson)?.(api);
    return shown === undefined ? cannotTell : compare(operation, sent, shown, operation.checkWith ?? '');
  };

/** The verification of a create by the name of the record. `given`: all arguments. */
function foundByName(
  operation: typeof createLesson | typeof createChannel,
  sent: object,
  record: { id?: number | undefined },
): Verification {
  const { checkWith: where = '' } = operation;
  const kind = operation === createLesson ? 'lesson' : 'channel';
  const isIdentical = compare(operation, sent, { values: { ...record } }, where).state === 'seen';
  return { state: 'seen', record, where, found: `${kind} ${record.id ?? ''} of that name`, isIdentical };
}

/** The record of this name; otherwise one in other capitals, which people would take for it. */
function named<Item>(items: readonly Item[], name: string, nameOf: (item: Item) => string | undefined) {
  const plain = name.toLowerCase();
  return items.find((one) => nameOf(one) === name) ?? items.find((one) => nameOf(one)?.toLowerCase() === plain);
}

/** A lesson with this title in this place counts as the new one: the API gives no time of creation. */
const verifyLessonCreation: Verifier<typeof createLesson> = async ({ course_id: course, ...sent }, { api }) => {
  const { title, module_id: module = null } = sent;
  const structure = await api.call(getCourseStructure, { course_id: course });
  const lessons = lessonsOf(structure);
  const inPlace = lessons.filter((other) => (other.module_id ?? null) === module);
  const lesson = named(inPlace, title, (other) => other.title);
  if (lesson !== undefined) return foundByName(createLesson, sent, lesson);
  const { modules, ungrouped_lessons: loose } = structure;
  const isListed = (modules !== undefined || loose !== undefined) && (modules ?? []).every((one) => one.lessons);
  const isRead = lessons.every((other) => other.id !== undefined && other.title !== undefined);
  // Only if all lessons could be read, one that is not among them does not exist.
  return isListed && isRead ? notSeen : cannotTell;
};

const verifyChannelCreation: Verifier<typeof createChannel> = async (sent, { api }) => {
  const { name } = sent;
  const { items } = await api.call(searchChannels, { query: name.slice(0, 255), limit: 50 });
  const channel = named(items, name, (other) => other.name);
  if (channel === undefined) return items.every((other) => other.name !== undefined) ? notSeen : cannotTell;
  return foundByName(createChannel, sent, channel);
};

/** What one write means for those who judge it. Its operation says the rest: `effect`, `repeat`, `checkWith`, `changes`. */
interface Meaning<Input, Verify> {
  /** Looks for the effect; `noVerifier` if the API does not show it. */
  readonly verify: Verify;
  /** The products that it gives a student, by ref; undefined if it gives none. */
  readonly gives: ((input: Input) => readonly string[]) | undefined;
  /** Whether it may take this product from a student; undefined if it takes none. */
  readonly takes: ((input: Input, ref: string) => boolean) | undefined;
}

/** A write that gives and takes no product. */
const noAccess = { gives: undefined, takes: undefined };

/** The meaning of each write. A missing one does not compile. */
const meanings: { readonly [Id in WriteId]: Meaning<InputOf<OperationById<Id>>, Verifier<OperationById<Id>>> } = {
  'courses.createLesson': { verify: verifyLessonCreation, ...noAccess },
  'courses.updateLesson': { verify: verifyUpdate(updateLesson), ...noAccess },
  'products.updateProduct': { verify: verifyUpdate(updateProduct), ...noAccess },
  'community.createChannel': { verify: verifyChannelCreation, ...noAccess },
  'community.updateChannel': { verify: verifyUpdate(updateChannel), ...noAccess },
  'access.enrollStudent': {
    verify: verifyEnrollment,
    gives: (input) => productsIn(input).map(({ ref }) => ref),
    takes: undefined,
  },
  'access.unenrollStudent': { verify: verifyUnenrollment, ...noAccess },
  'access.revokeCourse': {
    verify: ({ email, course_id }, context) => verifyRevocation(email, 'course', course_id, context),
    gives: undefined,
    takes: ({ course_id }, ref) => ref === productRef('course', course_id),
  },
  'access.revokeBundle': {
    verify: ({ email, bundle_id }, context) => verifyRevocation(email, 'bundle', bundle_id, context),
    // What the bundle contains is not known.
    gives: undefined,
    takes: () => true,
  },
  // The API does not show the roles of a student, or the courses of a bundle.
  'access.grantRole': { verify: noVerifier, ...noAccess },
  'access.revokeRole': { verify: noVerifier, ...noAccess },
  'access.resetCourseProgress': { verify: verifyProgressReset, ...noAccess },
  'access.resetBundleProgress': { verify: noVerifier, ...noAccess },
};

type AnyMeaning = Meaning<object, (input: object, context: VerifierContext) => Promise<Verification>>;

/** The one cast: TypeScript cannot see that the meaning found by an id takes the input of that operation. */
export function meaningOf({ id }: Operation): AnyMeaning {
  return (meanings as Partial<Record<string, AnyMeaning>>)[id] ?? { verify: noVerifier, ...noAccess };
}
