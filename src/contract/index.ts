import * as access from './access.ts';
import { getAccount } from './account.ts';
import { getBundle, listBundles } from './bundles.ts';
import * as community from './community.ts';
import * as courses from './courses.ts';
import { getDigitalProduct, listDigitalProducts } from './digital-products.ts';
import { getOrder, listOrders } from './orders.ts';
import { getProduct, searchProducts, updateProduct } from './products.ts';
import * as students from './students.ts';

/** Every operation of the API document, in its order. */
export const operations = [
  getAccount,
  courses.listCourses,
  courses.getCourse,
  courses.listRoles,
  courses.getCourseCompletion,
  courses.getCourseStructure,
  courses.createLesson,
  courses.updateLesson,
  listBundles,
  getBundle,
  listDigitalProducts,
  getDigitalProduct,
  searchProducts,
  getProduct,
  updateProduct,
  community.searchChannels,
  community.getChannel,
  community.createChannel,
  community.updateChannel,
  community.listCommunityGroups,
  community.searchPosts,
  listOrders,
  getOrder,
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

/** Operations that change something. */
export type WriteId = Exclude<AnyOperation, { effect: 'read' }>['id'] & OperationId;
