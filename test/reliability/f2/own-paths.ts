// Where each tool may send requests, written by hand from the API document: below /api/v1, `{name}` is the argument of
// that name. First its own operation, then what it looks at before or after.

const orders = 'GET /orders';
const details = 'GET /students/details';
const completion = 'POST /courses/{course_id}/completion-percentage';

const ownPaths: Readonly<Record<string, readonly string[]>> = {
  get_account: ['GET /account'],
  list_courses: ['GET /courses'],
  get_course: ['GET /courses/{course_id}'],
  get_course_structure: ['GET /courses/{course_id}/lessons'],
  create_lesson: ['POST /courses/{course_id}/lessons', 'GET /courses/{course_id}/lessons'],
  update_lesson: ['PATCH /lessons/{lesson_id}'],
  search_products: ['GET /products'],
  get_product: ['GET /products/{product_type}/{id_or_slug}'],
  update_product: ['PATCH /products/{product_type}/{id_or_slug}', 'GET /products/{product_type}/{id_or_slug}'],
  list_bundles: ['GET /bundles'],
  get_bundle: ['GET /bundles/{bundle_id}'],
  list_digital_products: ['GET /digital_products'],
  get_digital_product: ['GET /digital_products/{digital_product_id}'],
  search_channels: ['GET /community/channels'],
  get_channel: ['GET /community/channels/{id_or_slug}'],
  create_channel: ['POST /community/channels', 'GET /community/channels'],
  update_channel: ['PATCH /community/channels/{id_or_slug}', 'GET /community/channels/{id_or_slug}'],
  list_community_groups: ['GET /community/groups'],
  search_posts: ['GET /community/channels/{id_or_slug}/posts'],
  list_orders: [orders],
  get_order: ['GET /orders/{order_id}'],
  list_students: ['GET /students'],
  get_student_details: [details],
  get_course_completion: [completion],
  list_completed_students: ['GET /students/completions'],
  list_assignment_answers: ['GET /students/answers'],
  list_project_posts: ['GET /students/project-posts'],
  list_roles: ['GET /courses/roles'],
  enroll_student: ['POST /student/enroll', orders, details],
  unenroll_student: ['POST /student/unenroll', details],
  revoke_course: ['POST /student/revoke-course', details, orders, completion],
  revoke_bundle: ['POST /student/revoke-bundle', details, orders],
  grant_role: ['POST /student/grant-role'],
  revoke_role: ['POST /student/revoke-role', details, 'GET /courses/roles'],
  reset_course_progress: ['POST /student/reset-course-progress', details, completion],
  reset_bundle_progress: ['POST /student/reset-bundle-progress', details, orders],
};

/** Ids may come as text, " 42 " for 42; slugs stand in the path as they are, encoded. */
function segment(name: string, value: unknown): string {
  const isSlug = name === 'id_or_slug' || name === 'order_id' || name === 'product_type';
  return encodeURIComponent(isSlug ? String(value) : Number(value));
}

/** The requests, as "GET /api/v1/…", that a tool may send for these arguments. */
export function allowedRequests(tool: string, given: Readonly<Record<string, unknown>>): string[] {
  const templates = ownPaths[tool];
  if (templates === undefined) throw new Error(`${tool} has no paths in f2/own-paths.ts`);
  return templates
    .map((template) => template.replace(/\{(\w+)\}/g, (_match, name: string) => segment(name, given[name])))
    .map((request) => request.replace(' /', ' /api/v1/'));
}
