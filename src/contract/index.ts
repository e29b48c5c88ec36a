import * as access from './access.ts';
import * as account from './account.ts';
import * as bundles from './bundles.ts';
import * as community from './community.ts';
import * as courses from './courses.ts';
import * as digitalProducts from './digital-products.ts';
import type { Operation } from './operation.ts';
import * as orders from './orders.ts';
import * as products from './products.ts';
import * as students from './students.ts';

/** Every operation of the API document, in its order. */
export const operations = [
  account.getAccount,
  courses.listCourses,
  courses.getCourse,
  courses.listRoles,
  courses.getCourseCompletion,
  courses.getCourseStructure,
  courses.createLesson,
  courses.updateLesson,
  bundles.listBundles,
  bundles.getBundle,
  digitalProducts.listDigitalProducts,
  digitalProducts.getDigitalProduct,
  products.searchProducts,
  products.getProduct,
  products.updateProduct,
  community.searchChannels,
  community.getChannel,
  community.createChannel,
  community.updateChannel,
  community.listCommunityGroups,
  community.searchPosts,
  orders.listOrders,
  orders.getOrder,
  students.listStudents,
  students.getStudentDetails,
  students.listCompletedStudents,
  students.listAssignmentAnswers,
  students.listProjectPosts,
  access.enrollStudent,
  access.unenrollStudent,
  access.revokeCourse,
  access.revokeBundle,
  access.grantRole,
  access.revokeRole,
  access.resetCourseProgress,
  access.resetBundleProgress,
] as const;

export type AnyOperation = (typeof operations)[number];
export type OperationId = AnyOperation['id'];
export type OperationById<Id extends OperationId> = Extract<AnyOperation, { id: Id }>;

export type WriteId = Exclude<AnyOperation, { effect: 'read' }>['id'] & OperationId;

const byId = new Map<string, Operation>(operations.map((operation) => [operation.id, operation]));

/** Undefined for an operation of another version of this program. */
export const operationById = (id: string): Operation | undefined => byId.get(id);
