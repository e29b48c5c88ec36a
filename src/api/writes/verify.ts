import type * as z from 'zod';
import type * as access from '../../contract/access.ts';
import { createChannel, getChannel, groupIdOf, searchChannels, updateChannel } from '../../contract/community.ts';
import { createLesson, getCourseCompletion, getCourseStructure, updateLesson } from '../../contract/courses.ts';
import { argumentSchema, type InputOf, type Operation } from '../../contract/operation.ts';
import { getProduct, updateProduct } from '../../contract/products.ts';
import { type FieldFormat, formatOf, isDateOrTime } from '../../contract/schemas/input-fields.ts';
import type { lessonSummary } from '../../contract/schemas/lesson.ts';
import type { Tolerant } from '../../contract/schemas/response.ts';
import { getStudentDetails } from '../../contract/students.ts';
import { timeOf } from '../../insights/api-time.ts';
import {
  type ProductKind,
  type ProductsRead,
  productRef,
  readProducts,
} from '../../insights/sales/products-in-order.ts';
import { holds, listsProduct, type SoldOrder, saleKind } from '../../insights/sales/sold-order.ts';
import { type RecentGrant, recentGrantText } from '../../insights/students/holdings.ts';
import type { Api } from '../api.ts';
import { undefinedIfNotFound } from '../partial-failure.ts';
import { readStudentOrders } from '../student-orders.ts';
import type { KnownOrders } from './known-records.ts';

/**
 * What reading back shows of a write. `cannot_tell`: the API does not show enough. If `seen`: `record` is the record
 * that was found, if the API gives one, and `where` is the tool that shows it.
 */
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
  /** For reads only. */
  readonly api: Api;
  /** Older effects are not those of this call. In the server's time, as far as it is known when this is called. */
  readonly since: () => Date;
  /** What this server gave a student in the last ten minutes, and the platform may not show yet. */
  readonly recentGrants: (email: string) => Promise<readonly RecentGrant[]>;
  readonly orders: KnownOrders;
  /**
   * Whether nothing has been sent yet. An effect that is then visible is not of this write, but may make it
   * unnecessary.
   */
  readonly isBeforeWrite: boolean;
  /** The course in which a lesson was last seen. The API cannot read a lesson by its id. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
}

/** Checks whether the effect of a write is visible. Sends read requests only, and throws their errors. */
export type Verifier<O extends Operation> = (input: InputOf<O>, context: VerifierContext) => Promise<Verification>;

export const notSeen: Verification = { state: 'not_seen' };
export const cannotTell: Verification = { state: 'cannot_tell' };

/** For an operation whose effect the API does not show. */
export const noVerifier = async (): Promise<Verification> => cannotTell;

/** Undefined: it cannot be read. */
type Answer = boolean | undefined;

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

/** `isUnclear`: there is an order that may be the grant. */
function findGrant(orders: readonly SoldOrder[], question: GrantQuestion): { order?: SoldOrder; isUnclear: boolean } {
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

type Lesson = Tolerant<z.infer<typeof lessonSummary>> & { module_id: number | null };

/** The lessons of a course, and whether all could be read. Only then a lesson that is not among them does not exist. */
async function lessonsOf(api: Api, courseId: number): Promise<{ lessons: Lesson[]; areAll: boolean }> {
  const { modules, ungrouped_lessons: loose } = await api.call(getCourseStructure, { course_id: courseId });
  const grouped = (modules ?? []).flatMap(({ id = null, lessons = [] }) =>
    lessons.map((lesson) => ({ ...lesson, module_id: id })),
  );
  const lessons = [...grouped, ...(loose ?? []).map((lesson) => ({ ...lesson, module_id: null }))];
  const areListed = (modules !== undefined || loose !== undefined) && (modules ?? []).every((module) => module.lessons);
  return { lessons, areAll: areListed && lessons.every(({ id, title }) => id !== undefined && title !== undefined) };
}

const isDecimal = (text: string) => /^\d+(\.\d+)?$/.test(text);

/**
 * The API may write decimals and times in another form: "49.5" comes back as "49.50". A title is compared letter by
 * letter.
 */
function isSame(meaning: FieldFormat | undefined, given: unknown, shown: unknown): boolean {
  if (typeof given !== 'string' || typeof shown !== 'string') return given === shown;
  const both = [given, shown];
  if (meaning === 'decimal' && both.every(isDecimal)) return Number(given) === Number(shown);
  if (meaning === 'time' && both.every(isDateOrTime)) return timeOf(given) === timeOf(shown);
  return given === shown;
}

/** Compares the arguments of a call with a record. A field that the record does not show leaves the result open. */
function compare(operation: Operation, given: object, shown: object, where: string): Verification {
  const fields = Object.entries(given).filter(([, value]) => value !== undefined);
  const now = new Map<string, unknown>(Object.entries(shown));
  const differs = ([name, value]: [string, unknown]) =>
    now.has(name) && !isSame(formatOf(argumentSchema(operation, name)), value, now.get(name));
  if (fields.some(differs)) return notSeen;
  return fields.every(([name]) => now.has(name)) ? { state: 'seen', record: shown, where } : cannotTell;
}

const lessonCreation = { operation: createLesson, kind: 'lesson', where: 'get_course_structure' };
const channelCreation = { operation: createChannel, kind: 'channel', where: 'search_channels' };

/** The verification of a create by the name of the record. `given`: all arguments. */
function foundByName(
  { operation, kind, where }: { operation: Operation; kind: string; where: string },
  given: object,
  record: { id?: number | undefined },
): Verification {
  const isIdentical = compare(operation, given, record, where).state === 'seen';
  return { state: 'seen', record, where, found: `${kind} ${record.id ?? ''} of that name`, isIdentical };
}

/** A lesson with this title in this place counts as the new one: the API gives no time of creation. */
export const verifyLessonCreation: Verifier<typeof createLesson> = async ({ course_id: course, ...given }, { api }) => {
  const { title, module_id: module = null } = given;
  const { lessons, areAll } = await lessonsOf(api, course);
  const lesson = lessons.find((other) => other.title === title && other.module_id === module);
  if (lesson === undefined) return areAll ? notSeen : cannotTell;
  return foundByName(lessonCreation, given, lesson);
};

export const verifyLessonUpdate: Verifier<typeof updateLesson> = async ({ lesson_id: id, ...given }, context) => {
  const course = context.courseOfLesson(id);
  if (course === undefined) return cannotTell;
  const lesson = (await lessonsOf(context.api, course)).lessons.find((other) => other.id === id);
  return lesson === undefined ? cannotTell : compare(updateLesson, given, lesson, 'get_course_structure');
};

export const verifyProductUpdate: Verifier<typeof updateProduct> = async (input, { api }) => {
  const { product_type, id_or_slug, ...given } = input;
  const product = await api.call(getProduct, { product_type, id_or_slug });
  const { attributes = {}, truncated_attributes: cut = [], ...own } = product;
  // A cut attribute is compared up to the cut.
  const shortened = Object.entries(given).map(([name, value]) => [
    name,
    cut.includes(name) && typeof value === 'string' ? value.slice(0, 4_000) : value,
  ]);
  return compare(updateProduct, Object.fromEntries(shortened), { ...own, ...attributes }, 'get_product');
};

export const verifyChannelCreation: Verifier<typeof createChannel> = async (given, { api }) => {
  const { name } = given;
  const { items } = await api.call(searchChannels, { query: name.slice(0, 255), limit: 50 });
  const channel = items.find((other) => other.name === name);
  if (channel === undefined) return items.every((other) => other.name !== undefined) ? notSeen : cannotTell;
  return foundByName(channelCreation, given, channel);
};

export const verifyChannelUpdate: Verifier<typeof updateChannel> = async ({ id_or_slug, ...given }, { api }) => {
  const { group, ...channel } = await api.call(getChannel, { id_or_slug });
  const group_id = groupIdOf(group) ?? undefined;
  const shown = group_id === undefined ? channel : { ...channel, group_id };
  return compare(updateChannel, given, shown, 'get_channel');
};
