// The requests that each tool may send, written by hand from the API document: below /api/v1, `{name}` is the argument of
// that name, or each of its entries. First its own operation, then its reads before or after.

import { lessonIds } from './listener.ts';

const orders = 'GET /orders';
const details = 'GET /students/details';
const completion = 'POST /courses/{course_id}/completion-percentage';

const courseRecord = 'GET /courses/{course_id}';
const bundleRecord = 'GET /bundles/{bundle_id}';
const roles = 'GET /courses/roles';
const groups = 'GET /community/groups';
const structure = 'GET /courses/{course_id}/lessons';

/** The requests that find a product: by its id in each possible type, or by its title. */
const product = [
  'GET /courses/{product}',
  'GET /bundles/{product}',
  'GET /digital_products/{product}',
  'GET /products',
];

const ownPaths: Readonly<Record<string, readonly string[]>> = {
  get_account: ['GET /account'],
  list_courses: ['GET /courses'],
  get_course: [courseRecord],
  get_course_structure: [structure],
  create_lesson: ['POST /courses/{course_id}/lessons', structure, courseRecord],
  update_lesson: ['PATCH /lessons/{lesson_id}', structure],
  search_products: ['GET /products'],
  get_product: ['GET /products/{product_type}/{id_or_slug}'],
  update_product: [
    'PATCH /products/{product_type}/{id_or_slug}',
    'GET /products/{product_type}/{id_or_slug}',
    courseRecord,
  ],
  list_bundles: ['GET /bundles'],
  get_bundle: [bundleRecord],
  list_digital_products: ['GET /digital_products'],
  get_digital_product: ['GET /digital_products/{digital_product_id}'],
  search_channels: ['GET /community/channels'],
  get_channel: ['GET /community/channels/{id_or_slug}'],
  create_channel: ['POST /community/channels', 'GET /community/channels', groups],
  update_channel: ['PATCH /community/channels/{id_or_slug}', 'GET /community/channels/{id_or_slug}', groups],
  list_community_groups: [groups],
  search_posts: ['GET /community/channels/{id_or_slug}/posts', 'GET /community/channels'],
  list_orders: [orders],
  get_order: ['GET /orders/{order_id}'],
  list_students: ['GET /students'],
  get_student_details: [details],
  get_course_completion: [completion],
  list_completed_students: ['GET /students/completions'],
  list_assignment_answers: ['GET /students/answers'],
  list_project_posts: ['GET /students/project-posts'],
  list_roles: [roles],
  enroll_student: ['POST /student/enroll', orders, details, courseRecord, bundleRecord],
  unenroll_student: ['POST /student/unenroll', details, orders],
  revoke_course: ['POST /student/revoke-course', details, orders, completion, courseRecord],
  revoke_bundle: ['POST /student/revoke-bundle', details, orders, bundleRecord],
  grant_role: ['POST /student/grant-role', roles],
  revoke_role: ['POST /student/revoke-role', details, orders, roles],
  reset_course_progress: ['POST /student/reset-course-progress', details, orders, completion, courseRecord],
  reset_bundle_progress: ['POST /student/reset-bundle-progress', details, orders, bundleRecord],
  plan_course_outline: [structure],
  // Moving one lesson may renumber others.
  apply_course_outline: [structure, ...lessonIds.map((id) => `PATCH /lessons/${id}`)],
  find_buyers: [orders, ...product],
  sales_report: [orders, ...product],
  unpaid_orders: [
    orders,
    ...product,
    // The products of orders, whose access may have ended.
    ...['course', 'challenge', 'bundle', 'digital_product'].flatMap((type) =>
      Array.from({ length: 20 }, (_none, index) => `GET /products/${type}/${index + 1}`),
    ),
  ],
  student_profile: [details, orders],
  diagnose_access: [
    details,
    orders,
    ...product,
    ...['course', 'bundle', 'digital_product'].map((type) => `GET /products/${type}/{product}`),
    'POST /courses/{product}/completion-percentage',
  ],
  course_progress: [courseRecord, orders],
  community_digest: ['GET /community/channels', 'GET /community/channels/{channels}/posts'],
  offboard_student: [
    'POST /student/revoke-bundle',
    'POST /student/revoke-course',
    'POST /student/revoke-role',
    'POST /student/unenroll',
    'GET /courses/roles',
    details,
    orders,
  ],
  sync_roster: [
    'POST /student/enroll',
    'POST /student/revoke-course',
    'POST /student/revoke-bundle',
    details,
    orders,
    'GET /students',
    ...product,
    ...product.map((path) => path.replace('{product}', '{products}')),
  ],
};

const slugs = new Set(['id_or_slug', 'order_id', 'product_type', 'channels']);

/** Ids may be text, " 42 " for 42; slugs are in the path as given, encoded. A title is in no path. */
function segments(name: string, given: unknown): string[] {
  const values: unknown[] = Array.isArray(given) ? given : given === undefined ? [] : [given];
  const written = values.map((value) =>
    slugs.has(name)
      ? String(value)
      : String(value)
          .trim()
          .replace(/^(course|challenge|bundle|digital_product) /, ''),
  );
  return written
    .filter((text) => slugs.has(name) || /^\+?\d+$/.test(text))
    .map((text) => encodeURIComponent(slugs.has(name) ? text : Number(text)));
}

/** Tools that may refuse a call only after a read: the lessons of the course, the roles, or the name of the student. */
const looking = new Set([
  'plan_course_outline',
  'apply_course_outline',
  'offboard_student',
  'revoke_course',
  'unenroll_student',
  'sync_roster',
]);

export function refusesAfterLooking(tool: string): boolean {
  return looking.has(tool);
}

function filled(template: string, given: Readonly<Record<string, unknown>>): string[] {
  const name = /\{(\w+)\}/.exec(template)?.[1];
  if (name === undefined) return [template];
  return segments(name, given[name]).flatMap((segment) =>
    filled(
      template.replace(`{${name}}`, () => segment),
      given,
    ),
  );
}

/** The requests, as "GET /api/v1/…", that a tool may send for these arguments. */
export function allowedRequests(tool: string, given: Readonly<Record<string, unknown>>): string[] {
  const templates = ownPaths[tool];
  if (templates === undefined) throw new Error(`${tool} has no paths in f2/own-paths.ts`);
  return templates.flatMap((template) => filled(template, given)).map((request) => request.replace(' /', ' /api/v1/'));
}
