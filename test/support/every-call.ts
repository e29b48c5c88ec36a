import type { Row } from './academy.ts';

const email = 'ann@example.com';
const name = 'Ann';
const confirm = true;

/** For each tool a call that it takes, for an academy that has whatever it is asked for. */
export const everyCall: Readonly<Record<string, Row>> = {
  get_account: {},
  list_courses: {},
  get_course: { course_id: 1 },
  get_course_structure: { course_id: 1 },
  create_lesson: { course_id: 1, title: 'New' },
  update_lesson: { lesson_id: 1, title: 'New' },
  search_products: {},
  get_product: { product_type: 'course', id_or_slug: '1' },
  list_bundles: {},
  get_bundle: { bundle_id: 1 },
  list_digital_products: {},
  get_digital_product: { digital_product_id: 1 },
  update_product: { product_type: 'course', id_or_slug: '1', title: 'New' },
  search_channels: {},
  get_channel: { id_or_slug: '1' },
  list_community_groups: {},
  search_posts: { id_or_slug: '1' },
  create_channel: { name: 'New' },
  update_channel: { id_or_slug: '1', name: 'New' },
  list_orders: { detail: 'full' },
  get_order: { order_id: 'a1' },
  list_students: {},
  get_student_details: { email },
  get_course_completion: { course_id: 1, user_email: email },
  list_completed_students: {},
  list_assignment_answers: {},
  list_project_posts: {},
  list_roles: {},
  enroll_student: { email, name, course_id: 1 },
  unenroll_student: { email, name, confirm },
  revoke_course: { email, name, course_id: 1, confirm },
  revoke_bundle: { email, bundle_id: 1, confirm },
  grant_role: { email, role_id: 1 },
  revoke_role: { email, role_id: 1, confirm },
  plan_course_outline: { course_id: 1, moves: [] },
  apply_course_outline: { course_id: 1, moves: [], base_version: '0', confirm },
  find_buyers: { product: '1', product_type: 'course' },
  sales_report: {},
  student_profile: { email },
  diagnose_access: { email, product: '1', product_type: 'course' },
  course_progress: { course_id: 1 },
  community_digest: {},
  bulk_enroll_students: { students: [{ email, name }], course_id: 1, confirm },
  reset_course_progress: { email, course_id: 1, confirm },
  reset_bundle_progress: { email, bundle_id: 1, confirm },
};

/** The operation behind a tool: `get_course` is `courses.getCourse`. */
export function toolOf({ id }: { id: string }): string {
  const [, operation = ''] = id.split('.');
  return operation.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
