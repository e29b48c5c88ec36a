import type { capabilityNames } from './account.ts';
import type { OperationId } from './index.ts';

export type Capability = (typeof capabilityNames)[number];

/**
 * What of the account's capability list an operation needs. The document names the capabilities and not what each is for:
 * this is read from their names. API document: "Capabilities".
 */
export const capabilityOf: Readonly<Record<OperationId, Capability>> = {
  'account.getAccount': 'admin_api',
  'courses.listCourses': 'read_courses',
  'courses.getCourse': 'read_courses',
  'courses.listRoles': 'manage_student_access',
  'courses.getCourseCompletion': 'read_students',
  'courses.getCourseStructure': 'read_course_structure',
  'courses.createLesson': 'manage_lessons',
  'courses.updateLesson': 'manage_lessons',
  'bundles.listBundles': 'read_bundles',
  'bundles.getBundle': 'read_bundles',
  'digital_products.listDigitalProducts': 'read_digital_products',
  'digital_products.getDigitalProduct': 'read_digital_products',
  'products.searchProducts': 'read_products',
  'products.getProduct': 'read_products',
  'products.updateProduct': 'manage_products',
  'community.searchChannels': 'read_community',
  'community.getChannel': 'read_community',
  'community.createChannel': 'manage_community',
  'community.updateChannel': 'manage_community',
  'community.listCommunityGroups': 'read_community',
  'community.searchPosts': 'read_community_posts',
  'orders.listOrders': 'read_orders',
  'orders.getOrder': 'read_orders',
  'students.listStudents': 'read_students',
  'students.getStudentDetails': 'read_students',
  'students.listCompletedStudents': 'read_students',
  'students.listAssignmentAnswers': 'read_students',
  'students.listProjectPosts': 'read_students',
  'access.enrollStudent': 'manage_student_access',
  'access.unenrollStudent': 'manage_student_access',
  'access.revokeCourse': 'manage_student_access',
  'access.revokeBundle': 'manage_student_access',
  'access.grantRole': 'manage_student_access',
  'access.revokeRole': 'manage_student_access',
  'access.resetCourseProgress': 'manage_student_access',
  'access.resetBundleProgress': 'manage_student_access',
};

/** What cannot be done without a capability, in words. */
export const withoutCapability: Readonly<Record<Capability, string>> = {
  admin_api: 'cannot be used by this admin',
  read_courses: 'cannot read courses',
  read_bundles: 'cannot read bundles',
  read_digital_products: 'cannot read digital products',
  read_students: 'cannot read students',
  manage_student_access: 'cannot manage the access of students',
  read_orders: 'cannot read orders',
  read_order_webhook_payloads: 'cannot read the payloads of order events',
  read_products: 'cannot read products',
  manage_products: 'cannot change products',
  read_community: 'cannot read the community',
  manage_community: 'cannot manage the community',
  read_community_posts: 'cannot read posts',
  read_course_structure: 'cannot read the structure of courses',
  manage_lessons: 'cannot manage lessons',
  webhooks: 'cannot send webhooks',
};
