import type { Tool } from '../src/mcp/tool.ts';
import { enrollStudent } from './access/enroll-student.ts';
import { grantRole } from './access/grant-role.ts';
import { listRoles } from './access/list-roles.ts';
import { resetBundleProgress } from './access/reset-bundle-progress.ts';
import { resetCourseProgress } from './access/reset-course-progress.ts';
import { revokeBundle } from './access/revoke-bundle.ts';
import { revokeCourse } from './access/revoke-course.ts';
import { revokeRole } from './access/revoke-role.ts';
import { unenrollStudent } from './access/unenroll-student.ts';
import { getAccount } from './account/get-account.ts';
import { listChanges } from './account/list-changes.ts';
import { undoChange } from './account/undo-change.ts';
import { createChannel } from './community/create-channel.ts';
import { getChannel } from './community/get-channel.ts';
import { listCommunityGroups } from './community/list-community-groups.ts';
import { searchChannels } from './community/search-channels.ts';
import { searchPosts } from './community/search-posts.ts';
import { updateChannel } from './community/update-channel.ts';
import { applyCourseOutline } from './courses/apply-course-outline.ts';
import { createLesson } from './courses/create-lesson.ts';
import { getCourse } from './courses/get-course.ts';
import { getCourseStructure } from './courses/get-course-structure.ts';
import { listCourses } from './courses/list-courses.ts';
import { planCourseOutline } from './courses/plan-course-outline.ts';
import { updateLesson } from './courses/update-lesson.ts';
import { describeData } from './data/describe-data.ts';
import { exportData } from './data/export-data.ts';
import { queryData } from './data/query-data.ts';
import { refreshData } from './data/refresh-data.ts';

import { communityDigest } from './insights/community-digest.ts';
import { courseProgress } from './insights/course-progress.ts';
import { diagnoseAccess } from './insights/diagnose-access.ts';
import { findBuyers } from './insights/find-buyers.ts';
import { listRecentEvents } from './insights/list-recent-events.ts';
import { offboardStudent } from './insights/offboard-student.ts';
import { salesReport } from './insights/sales-report.ts';
import { studentProfile } from './insights/student-profile.ts';
import { syncRoster } from './insights/sync-roster.ts';
import { unpaidOrders } from './insights/unpaid-orders.ts';
import { getOrder } from './orders/get-order.ts';
import { listOrders } from './orders/list-orders.ts';
import { getBundle } from './products/get-bundle.ts';
import { getDigitalProduct } from './products/get-digital-product.ts';
import { getProduct } from './products/get-product.ts';
import { listBundles } from './products/list-bundles.ts';
import { listDigitalProducts } from './products/list-digital-products.ts';
import { searchProducts } from './products/search-products.ts';
import { updateProduct } from './products/update-product.ts';
import { prompts } from './prompts.ts';
import { resources } from './resources.ts';
import { getCourseCompletion } from './students/get-course-completion.ts';
import { getStudentDetails } from './students/get-student-details.ts';
import { listAssignmentAnswers } from './students/list-assignment-answers.ts';
import { listCompletedStudents } from './students/list-completed-students.ts';
import { listProjectPosts } from './students/list-project-posts.ts';
import { listStudents } from './students/list-students.ts';
import { views } from './views.ts';

/** All tools, in the order in which they are listed: by toolset, reading before writing. */
export const tools: readonly Tool[] = [
  getAccount,

  listCourses,
  getCourse,
  getCourseStructure,
  planCourseOutline,
  createLesson,
  updateLesson,
  applyCourseOutline,

  searchProducts,
  getProduct,
  listBundles,
  getBundle,
  listDigitalProducts,
  getDigitalProduct,
  updateProduct,

  searchChannels,
  getChannel,
  listCommunityGroups,
  searchPosts,
  createChannel,
  updateChannel,

  listOrders,
  getOrder,

  listStudents,
  getStudentDetails,
  getCourseCompletion,
  listCompletedStudents,
  listAssignmentAnswers,
  listProjectPosts,

  listRoles,
  enrollStudent,
  unenrollStudent,
  revokeCourse,
  revokeBundle,
  grantRole,
  revokeRole,
  resetCourseProgress,
  resetBundleProgress,

  findBuyers,
  salesReport,
  unpaidOrders,
  studentProfile,
  diagnoseAccess,
  courseProgress,
  communityDigest,
  syncRoster,
  offboardStudent,
];

/** Listed after all others, and only by a server that has the events of its academy. */
export const eventTools: readonly Tool[] = [listRecentEvents];

/** Listed only by a server that keeps a journal of changes. */
export const journalTools: readonly Tool[] = [listChanges, undoChange];

/** The tools over the mirror: listed only if it is on, after all others. */
export const dataTools: readonly Tool[] = [describeData, queryData, refreshData, exportData];

/** Everything that this program has. */
export const definitions = {
  tools: [...tools, ...eventTools, ...journalTools, ...dataTools],
  prompts,
  resources,
  views,
};
