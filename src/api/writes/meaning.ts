import type { OperationById, WriteId } from '../../contract/index.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { type ProductKind, productRef, readProducts } from '../../insights/sales/products-in-order.ts';
import { buyerKey } from '../../insights/sales/sold-order.ts';
import { isObject, type Json } from '../../shared/json.ts';
import * as access from './verify/access.ts';
import * as content from './verify/content.ts';
import { noVerifier, type Verification, type Verifier, type VerifierContext } from './verify/verifier.ts';

/** The sent fields, or what the operation changes, as an answer shows them. */
export type Effect = ReadonlyMap<string, unknown>;

const nothingShown = (): Effect => new Map();

/** What one write means for those who judge it. Its operation says the rest: `effect`, `repeat`, `checkWith`, `changes`. */
interface Meaning<Input, Verify> {
  /** Looks for the effect; `noVerifier` if the API does not show it. */
  readonly verify: Verify;
  /** The effect in the answer of the write itself. `record`: its fields, if the answer shows the record. */
  readonly shown: 'record' | ((input: Json, body: Json) => Effect);
  /** The effect on fields that the call does not send. */
  readonly expected?: Json;
  /** The products that it gives a student. */
  readonly gives?: (input: Input) => readonly string[];
  /** Whether it may take a product away from a student. */
  readonly takes?: (input: Input, ref: string) => boolean;
}

type MeaningOf<O extends Operation> = Meaning<InputOf<O>, Verifier<O>>;

// The document does not show the answers of access operations. If an answer shows the student or their orders, these read the
// effect of the call from them.

export const isSamePerson = (shown: string, email: unknown) => buyerKey(shown) === buyerKey(String(email));

/** The student in an answer: under its key, under "data", or bare. */
function studentIn(body: Json, email: unknown): Json {
  const places = [body.student, body.data, body].filter(isObject);
  return places.find((place) => typeof place.email === 'string' && isSamePerson(place.email, email)) ?? {};
}

export function ordersIn(body: Json, student: Json): Json[] {
  return [body.order, body.orders, student.orders, student.paid_orders].flat().filter(isObject);
}

/** Whether any of the records lists the product; false only if all lists can be read. */
function anyLists(records: readonly Json[], kind: ProductKind, id: number): boolean | undefined {
  const seen = records.map((record) => access.listsSurely(readProducts(record), kind, id));
  if (seen.includes(true)) return true;
  return seen.length > 0 && !seen.includes(undefined) ? false : undefined;
}

function grantsIn(input: Json, body: Json): Effect {
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

function revocationIn(name: 'course_id' | 'bundle_id', kind: ProductKind) {
  return (input: Json, body: Json): Effect => {
    const student = studentIn(body, input.email);
    const { enrolled_courses, courses = enrolled_courses, bundles } = student;
    const held = kind === 'course' ? { courses } : { bundles };
    return anyLists([held, ...ordersIn(body, student)], kind, Number(input[name])) === true
      ? new Map([[name, 'still listed']])
      : nothingShown();
  };
}

function roleIn(isGrant: boolean) {
  return ({ email, role_id }: Json, body: Json): Effect => {
    const student = studentIn(body, email);
    const roles = student.roles ?? student.role_ids;
    if (!Array.isArray(roles)) return nothingShown();
    const ids = roles.map((role) => (isObject(role) ? role.id : role));
    if (!ids.every((id) => typeof id === 'number' || /^\d+$/.test(String(id)))) return nothingShown();
    const has = ids.some((id) => String(id) === String(role_id));
    if (has === isGrant) return new Map([['role_id', role_id]]);
    return new Map([['role_id', isGrant ? 'not among the roles' : 'still among the roles']]);
  };
}

function payingIn({ email }: Json, body: Json): Effect {
  const { paying_student: paying } = studentIn(body, email);
  return paying === undefined || paying === null ? nothingShown() : new Map([['paying_student', paying]]);
}

function progressIn({ email }: Json, body: Json): Effect {
  const { course_completion_percent: percent } = studentIn(body, email);
  return typeof percent === 'number' ? new Map([['course_completion_percent', percent]]) : nothingShown();
}

/** The meaning of each write. A missing one does not compile. */
const meanings: { readonly [Id in WriteId]: MeaningOf<OperationById<Id>> } = {
  'courses.createLesson': { verify: content.verifyLessonCreation, shown: 'record' },
  'courses.updateLesson': { verify: content.verifyLessonUpdate, shown: 'record' },
  'products.updateProduct': { verify: content.verifyProductUpdate, shown: 'record' },
  'community.createChannel': { verify: content.verifyChannelCreation, shown: 'record' },
  'community.updateChannel': { verify: content.verifyChannelUpdate, shown: 'record' },
  'access.enrollStudent': {
    verify: access.verifyEnrollment,
    shown: grantsIn,
    gives: ({ course_id: course, bundle_id: bundle }) => [
      ...(course === undefined ? [] : [productRef('course', course)]),
      ...(bundle === undefined ? [] : [productRef('bundle', bundle)]),
    ],
  },
  'access.unenrollStudent': {
    verify: access.verifyUnenrollment,
    shown: payingIn,
    expected: { paying_student: false },
  },
  'access.revokeCourse': {
    verify: access.verifyCourseRevocation,
    shown: revocationIn('course_id', 'course'),
    takes: ({ course_id }, ref) => ref === productRef('course', course_id),
  },
  'access.revokeBundle': {
    verify: access.verifyBundleRevocation,
    shown: revocationIn('bundle_id', 'bundle'),
    // What the bundle contains is not known.
    takes: () => true,
  },
  // The API does not show the roles of a student, or the courses of a bundle.
  'access.grantRole': { verify: noVerifier, shown: roleIn(true) },
  'access.revokeRole': { verify: noVerifier, shown: roleIn(false) },
  'access.resetCourseProgress': {
    verify: access.verifyProgressReset,
    shown: progressIn,
    expected: { course_completion_percent: 0 },
  },
  'access.resetBundleProgress': { verify: noVerifier, shown: nothingShown },
};

type AnyMeaning = Meaning<object, (input: object, context: VerifierContext) => Promise<Verification>>;

const ofRead: AnyMeaning = { verify: noVerifier, shown: nothingShown };

/**
 * The meaning of an operation, for input that its schema has parsed. TypeScript cannot see that an entry found by an id
 * takes the input of that id, hence the one cast.
 */
export function meaningOf({ id }: Operation): AnyMeaning {
  return (meanings as Partial<Record<string, AnyMeaning>>)[id] ?? ofRead;
}
