// API document: "Capabilities". It lists names without explanation. Which operation needs which capability, and the words
// below, are inferred from these names.

/** For error messages: what the API cannot do if a capability is off. */
export const withoutCapability = {
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
} as const;

export type Capability = keyof typeof withoutCapability;

export const capabilityNames = Object.keys(withoutCapability) as Capability[];
