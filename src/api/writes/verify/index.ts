import type { OperationById, WriteId } from '../../../contract/index.ts';
import type { Operation } from '../../../contract/operation.ts';
import * as access from './access.ts';
import * as content from './content.ts';
import { noVerifier, type Verification, type Verifier, type VerifierContext } from './verifier.ts';

/** The verifier of each write. A missing one does not compile. */
const verifiers: { readonly [Id in WriteId]: Verifier<OperationById<Id>> } = {
  'courses.createLesson': content.verifyLessonCreation,
  'courses.updateLesson': content.verifyLessonUpdate,
  'products.updateProduct': content.verifyProductUpdate,
  'community.createChannel': content.verifyChannelCreation,
  'community.updateChannel': content.verifyChannelUpdate,
  'access.enrollStudent': access.verifyEnrollment,
  'access.unenrollStudent': access.verifyUnenrollment,
  'access.revokeCourse': access.verifyCourseRevocation,
  'access.revokeBundle': access.verifyBundleRevocation,
  // The API does not show the roles of a student, or the courses of a bundle.
  'access.grantRole': noVerifier,
  'access.revokeRole': noVerifier,
  'access.resetCourseProgress': access.verifyProgressReset,
  'access.resetBundleProgress': noVerifier,
};

type AnyVerifier = (input: object, context: VerifierContext) => Promise<Verification>;

/**
 * The verifier of an operation, for input that its schema has parsed. TypeScript cannot see that an entry found by an
 * id takes the input of that id, hence the one cast.
 */
export function verifierOf({ id }: Operation): AnyVerifier {
  return (verifiers as Partial<Record<string, AnyVerifier>>)[id] ?? noVerifier;
}
