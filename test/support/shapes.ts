/** The types of record fields, and the check of a record against the table of its fields. */
type Kind =
  | 'integer'
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'timestamp'
  | 'array'
  | 'object'
  | 'string or null'
  | 'timestamp or null'
  | 'anything'
  | 'string if present';

export type Shape = Readonly<Record<string, Kind>>;

const isString = (value: unknown): boolean => typeof value === 'string';
const isTimestamp = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/.test(value);

const checks: Record<Kind, (value: unknown) => boolean> = {
  integer: Number.isInteger,
  string: isString,
  boolean: (value) => typeof value === 'boolean',
  decimal: (value) => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value),
  timestamp: isTimestamp,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'string or null': (value) => value === null || isString(value),
  'timestamp or null': (value) => value === null || isTimestamp(value),
  anything: (value) => value !== undefined,
  'string if present': (value) => value === undefined || value === null || isString(value),
};

/** Lists the problems of a record: a missing field, a wrong type, or a field that is not in the document. */
export function differences(record: Record<string, unknown>, shape: Shape): string[] {
  const wrong = Object.entries(shape)
    .filter(([field, kind]) => !checks[kind](record[field]))
    .map(([field, kind]) => `${field} should be ${kind}, is ${JSON.stringify(record[field])}`);
  const unknown = Object.keys(record).filter((field) => !(field in shape));
  return [...wrong, ...unknown.map((field) => `${field} is not in the document`)];
}

// The field tables of the API document, copied by hand: the names of the fields, by type.

const fields = (names: Partial<Record<Kind, string>>): Shape =>
  Object.fromEntries(
    Object.entries(names).flatMap(([kind, some]) => some.split(' ').map((name) => [name, kind as Kind])),
  );

export const accountShape = fields({
  string: 'subdomain app_name currency locale subscription_plan',
  'string or null': 'custom_domain',
  boolean:
    'card_processor_connected wallet_processor_connected enrollment_open member_list_enabled points_enabled community_enabled',
});

export const courseItemShape = fields({ integer: 'id', string: 'title', boolean: 'sold_separately', decimal: 'price' });

export const courseShape: Shape = {
  ...courseItemShape,
  ...fields({
    string: 'description slug cover_image_url cover_image_thumbnail_url stock_photo_image_url',
    boolean: 'is_published is_challenge',
    integer: 'lesson_count',
  }),
};

export const roleShape = fields({ integer: 'id', string: 'name' });

export const completionShape = fields({
  integer: 'id sign_in_count points completion_percent course_completion_percent',
  string: 'name email',
  timestamp: 'created_at',
  boolean: 'enrolled admin is_active',
});

export const structureShape = fields({ object: 'course', array: 'modules ungrouped_lessons' });
export const structureCourseShape = fields({ integer: 'id', string: 'title', boolean: 'is_challenge' });
export const moduleShape = fields({
  integer: 'id sequence',
  string: 'title',
  boolean: 'is_published',
  array: 'lessons',
});
export const lessonShape = fields({ integer: 'id sequence', string: 'title lesson_type', boolean: 'is_published' });

export const bundleItemShape = fields({ integer: 'id', string: 'title' });
export const bundleShape: Shape = {
  ...bundleItemShape,
  ...fields({
    string: 'description slug cover_image_thumbnail_url',
    boolean: 'is_published',
    integer: 'product_count',
  }),
};

export const digitalProductItemShape = fields({
  integer: 'id',
  string: 'title description cover_image_url',
  decimal: 'price',
  boolean: 'is_published',
});
export const digitalProductShape: Shape = { ...digitalProductItemShape, ...fields({ string: 'product_type slug' }) };

export const productItemShape = fields({ string: 'product_type title slug', integer: 'id' });
export const productShape: Shape = {
  ...productItemShape,
  ...fields({ boolean: 'is_challenge', object: 'attributes', array: 'truncated_attributes' }),
};

export const postShape = fields({
  integer: 'id',
  string: 'content',
  timestamp: 'created_at updated_at',
  'timestamp or null': 'published_at',
  'string if present': 'share_url',
  object: 'topic author',
});
export const topicShape = fields({ integer: 'id', string: 'title slug path' });
export const authorShape = fields({ string: 'name slug' });
export const postChannelShape = fields({ integer: 'id', string: 'name slug' });
export const postMetaShape = fields({ integer: 'current_page per_page total_pages total_posts' });

export const orderShape = fields({
  string:
    'id currency description user_email user_name user_first_name user_last_name status billing_city billing_state billing_country billing_street billing_zip',
  decimal: 'amount',
  anything: 'affiliate_id',
  array: 'courses digital_products bundles',
  'string or null': 'billing_company billing_phone',
  timestamp: 'created_at updated_at',
});
export const orderCourseShape = fields({ integer: 'id', string: 'title' });

export const studentShape = fields({
  integer: 'id sign_in_count points completion_percent',
  string: 'name email',
  timestamp: 'created_at',
  'string or null': 'location facebook_link twitter_link',
  boolean: 'enrolled admin is_active',
});

export const errorItemShape = fields({ string: 'code message' });

/** Payload fields of the five student events; the payload of new_order is the order object. */
export const eventShapes = {
  new_student: fields({ integer: 'id', string: 'name email' }),
  new_order: orderShape,
  course_completed: fields({ integer: 'id course_id', string: 'name email course' }),
  student_completed: fields({ integer: 'id', string: 'name email' }),
  new_answer: fields({ integer: 'id', string: 'name email answer question lesson' }),
  new_project_post: fields({ integer: 'id', string: 'name email post' }),
} as const satisfies Record<string, Shape>;
