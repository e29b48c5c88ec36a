/**
 * The API document as lists, copied by hand. Nothing here may come from the contract, because these lists check the contract.
 */

/** Every operation: the method and path of its endpoint. For "PATCH or PUT" in the document, this list has PATCH. */
export const endpoints = [
  'GET /api/v1/account',
  'GET /api/v1/courses',
  'GET /api/v1/courses/:id',
  'GET /api/v1/courses/roles',
  'POST /api/v1/courses/:id/completion-percentage',
  'GET /api/v1/courses/:course_id/lessons',
  'POST /api/v1/courses/:course_id/lessons',
  'PATCH /api/v1/lessons/:id',
  'GET /api/v1/bundles',
  'GET /api/v1/bundles/:id',
  'GET /api/v1/digital_products',
  'GET /api/v1/digital_products/:id',
  'GET /api/v1/products',
  'GET /api/v1/products/:product_type/:id_or_slug',
  'PATCH /api/v1/products/:product_type/:id_or_slug',
  'GET /api/v1/community/channels',
  'GET /api/v1/community/channels/:id_or_slug',
  'POST /api/v1/community/channels',
  'PATCH /api/v1/community/channels/:id_or_slug',
  'GET /api/v1/community/groups',
  'GET /api/v1/community/channels/:id_or_slug/posts',
  'GET /api/v1/orders',
  'GET /api/v1/orders/:id',
  'GET /api/v1/students',
  'GET /api/v1/students/details',
  'GET /api/v1/students/completions',
  'GET /api/v1/students/answers',
  'GET /api/v1/students/project-posts',
  'POST /api/v1/student/enroll',
  'POST /api/v1/student/unenroll',
  'POST /api/v1/student/revoke-course',
  'POST /api/v1/student/revoke-bundle',
  'POST /api/v1/student/grant-role',
  'POST /api/v1/student/revoke-role',
  'POST /api/v1/student/reset-course-progress',
  'POST /api/v1/student/reset-bundle-progress',
] as const;

export const eventNames = [
  'new_student',
  'new_order',
  'course_completed',
  'student_completed',
  'new_answer',
  'new_project_post',
] as const;

export const orderStatuses = ['pending', 'failed', 'paid', 'wallet_executed'] as const;

export const productTypes = ['course', 'challenge', 'digital_product', 'bundle', 'offer', 'project'] as const;

export const lessonUpdateFields = [
  'title',
  'content',
  'is_published',
  'lesson_type',
  'points',
  'module_id',
  'sequence',
  'learning_objective',
  'video_embed',
  'video_url',
  'release_day',
  'requires_unlock',
] as const;

export const capabilityNames = [
  'admin_api',
  'read_courses',
  'read_bundles',
  'read_digital_products',
  'read_students',
  'manage_student_access',
  'read_orders',
  'read_order_webhook_payloads',
  'read_products',
  'manage_products',
  'read_community',
  'manage_community',
  'read_community_posts',
  'read_course_structure',
  'manage_lessons',
  'webhooks',
] as const;
