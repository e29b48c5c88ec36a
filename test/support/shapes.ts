import type { Shape } from './shape.ts';

/** The field tables of the API document, copied by hand. */

export const accountShape: Shape = {
  subdomain: 'string',
  app_name: 'string',
  custom_domain: 'string or null',
  currency: 'string',
  locale: 'string',
  subscription_plan: 'string',
  card_processor_connected: 'boolean',
  wallet_processor_connected: 'boolean',
  enrollment_open: 'boolean',
  member_list_enabled: 'boolean',
  points_enabled: 'boolean',
  community_enabled: 'boolean',
};

export const courseItemShape: Shape = { id: 'integer', title: 'string', sold_separately: 'boolean', price: 'decimal' };

export const courseShape: Shape = {
  ...courseItemShape,
  description: 'string',
  slug: 'string',
  is_published: 'boolean',
  is_challenge: 'boolean',
  cover_image_url: 'string',
  cover_image_thumbnail_url: 'string',
  stock_photo_image_url: 'string',
  lesson_count: 'integer',
};

export const roleShape: Shape = { id: 'integer', name: 'string' };

export const completionShape: Shape = {
  id: 'integer',
  name: 'string',
  email: 'string',
  created_at: 'timestamp',
  enrolled: 'boolean',
  admin: 'boolean',
  is_active: 'boolean',
  sign_in_count: 'integer',
  points: 'integer',
  completion_percent: 'integer',
  course_completion_percent: 'integer',
};

export const structureShape: Shape = { course: 'object', modules: 'array', ungrouped_lessons: 'array' };
export const structureCourseShape: Shape = { id: 'integer', title: 'string', is_challenge: 'boolean' };
export const moduleShape: Shape = {
  id: 'integer',
  title: 'string',
  sequence: 'integer',
  is_published: 'boolean',
  lessons: 'array',
};
export const lessonShape: Shape = {
  id: 'integer',
  title: 'string',
  sequence: 'integer',
  is_published: 'boolean',
  lesson_type: 'string',
};

export const bundleItemShape: Shape = { id: 'integer', title: 'string' };
export const bundleShape: Shape = {
  ...bundleItemShape,
  description: 'string',
  slug: 'string',
  is_published: 'boolean',
  cover_image_thumbnail_url: 'string',
  product_count: 'integer',
};

export const digitalProductItemShape: Shape = {
  id: 'integer',
  title: 'string',
  description: 'string',
  price: 'decimal',
  is_published: 'boolean',
  cover_image_url: 'string',
};
export const digitalProductShape: Shape = { ...digitalProductItemShape, product_type: 'string', slug: 'string' };

export const productItemShape: Shape = { product_type: 'string', id: 'integer', title: 'string', slug: 'string' };
export const productShape: Shape = {
  ...productItemShape,
  is_challenge: 'boolean',
  attributes: 'object',
  truncated_attributes: 'array',
};

export const postShape: Shape = {
  id: 'integer',
  content: 'string',
  created_at: 'timestamp',
  updated_at: 'timestamp',
  published_at: 'timestamp or null',
  share_url: 'string if present',
  topic: 'object',
  author: 'object',
};
export const topicShape: Shape = { id: 'integer', title: 'string', slug: 'string', path: 'string' };
export const authorShape: Shape = { name: 'string', slug: 'string' };
export const postChannelShape: Shape = { id: 'integer', name: 'string', slug: 'string' };
export const postMetaShape: Shape = {
  current_page: 'integer',
  per_page: 'integer',
  total_pages: 'integer',
  total_posts: 'integer',
};

export const orderShape: Shape = {
  id: 'string',
  amount: 'decimal',
  currency: 'string',
  description: 'string',
  user_email: 'string',
  user_name: 'string',
  user_first_name: 'string',
  user_last_name: 'string',
  status: 'string',
  affiliate_id: 'anything',
  courses: 'array',
  digital_products: 'array',
  bundles: 'array',
  billing_city: 'string',
  billing_state: 'string',
  billing_country: 'string',
  billing_street: 'string',
  billing_zip: 'string',
  billing_company: 'string or null',
  billing_phone: 'string or null',
  created_at: 'timestamp',
  updated_at: 'timestamp',
};
export const orderCourseShape: Shape = { id: 'integer', title: 'string' };
export const orderMetaShape: Shape = {
  total_pages: 'integer',
  total_orders: 'integer',
  current_page: 'integer',
  per_page: 'integer',
};

export const studentShape: Shape = {
  id: 'integer',
  name: 'string',
  email: 'string',
  created_at: 'timestamp',
  location: 'string or null',
  facebook_link: 'string or null',
  twitter_link: 'string or null',
  enrolled: 'boolean',
  admin: 'boolean',
  is_active: 'boolean',
  sign_in_count: 'integer',
  points: 'integer',
  completion_percent: 'integer',
};
export const studentMetaShape: Shape = { total_pages: 'integer', total_students: 'integer' };

export const errorItemShape: Shape = { code: 'string', message: 'string' };

/** Payload fields of the five student events; the payload of new_order is the order object. */
export const eventShapes = {
  new_student: { id: 'integer', name: 'string', email: 'string' },
  new_order: orderShape,
  course_completed: { id: 'integer', name: 'string', email: 'string', course: 'string', course_id: 'integer' },
  student_completed: { id: 'integer', name: 'string', email: 'string' },
  new_answer: {
    id: 'integer',
    name: 'string',
    email: 'string',
    answer: 'string',
    question: 'string',
    lesson: 'string',
  },
  new_project_post: { id: 'integer', name: 'string', email: 'string', post: 'string' },
} as const satisfies Record<string, Shape>;
