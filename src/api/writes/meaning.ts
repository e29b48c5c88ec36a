import type { OperationById, WriteId } from '../../contract/index.ts';
import type { InputOf, Operation } from '../../contract/operation.ts';
import { productRef } from '../../insights/sales/product-ref.ts';
import type { Json } from '../../shared/json.ts';
import { type Effect, grantsIn, payingIn, progressIn, revocationIn, roleIn } from './access-in-answer.ts';
import * as access from './verify/access.ts';
import * as content from './verify/content.ts';
import { noVerifier, type Verification, type Verifier, type VerifierContext } from './verify/verifier.ts';

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

const nothingShown = (): Effect => new Map();

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
