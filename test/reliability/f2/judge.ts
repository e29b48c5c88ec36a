import { fileURLToPath } from 'node:url';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js';
import * as z from 'zod';
import { lessonIds } from './academy.ts';

export const replySchema = z.looseObject({
  id: z.number().optional(),
  result: z.looseObject({}).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

export type Reply = z.output<typeof replySchema>;

/** The schema of one value in tools/list: the parts that are used here. */
export interface ValueSchema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly items?: ValueSchema | undefined;
  readonly properties?: Readonly<Record<string, ValueSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
}

const valueSchema: z.ZodType<ValueSchema> = z.looseObject({
  type: z.unknown().optional(),
  get items() {
    return valueSchema.optional();
  },
  get properties() {
    return z.record(z.string(), valueSchema).optional();
  },
  required: z.array(z.string()).optional(),
});

export interface ObjectSchema {
  readonly properties: Readonly<Record<string, ValueSchema>>;
  readonly required: readonly string[];
}

export function objectOf({ properties = {}, required = [] }: ValueSchema): ObjectSchema {
  return { properties, required };
}

/** Text that may be written as a number. */
const idTexts = new Set(['id_or_slug', 'order_id', 'channels', 'product', 'products', 'without']);

function understoodText({ anyOf, type }: ValueSchema, text: string): unknown {
  const types = JSON.stringify([type, anyOf]);
  if (types.includes('"integer"') && /^[+-]?\d{1,15}$/.test(text.trim())) return Number(text);
  if (types.includes('"boolean"') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A value as the tool reads it: 42 for "42", true for "true", text for a numeric slug; also in lists and records. */
function understoodValue(name: string, schema: ValueSchema, value: unknown): unknown {
  const { items } = schema;
  if (typeof value === 'number') return idTexts.has(name) && Number.isSafeInteger(value) ? String(value) : value;
  // For a person, their email is enough.
  if (typeof value === 'string') return schema.type === 'object' ? { email: value } : understoodText(schema, value);
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((entry) => understoodValue(name, items, entry));
  }
  return typeof value === 'object' && value !== null ? understood(objectOf(schema), { ...value }) : value;
}

/** The protocol drops `__proto__`. */
function understood({ properties }: ObjectSchema, given: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(given).filter(([name]) => name !== '__proto__');
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
  return Object.fromEntries(entries.map(([name, value]) => [name, understoodValue(name, schemaOf(name), value)]));
}

// The requests that each tool may send, written by hand from the API document: below /api/v1, `{name}` is the argument of
// that name, or each of its entries. First its own operation, then its reads before or after.

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
  // The nearest titles, for a name that nothing has.
  'GET /courses',
  'GET /bundles',
  'GET /digital_products',
];

const lessonChanges = lessonIds.map((id) => `PATCH /lessons/${id}`);

const ownPaths: Readonly<Record<string, readonly string[]>> = {
  get_account: ['GET /account'],
  list_courses: ['GET /courses'],
  get_course: [courseRecord],
  get_course_structure: [structure],
  create_lesson: ['POST /courses/{course_id}/lessons', structure, courseRecord, ...lessonChanges],
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
  search_posts: ['GET /community/channels/{id_or_slug}/posts', 'GET /community/channels', groups],
  list_orders: [orders],
  get_order: ['GET /orders/{order_id}'],
  list_students: ['GET /students'],
  get_student_details: [details],
  get_course_completion: [completion],
  list_completed_students: ['GET /students/completions'],
  list_assignment_answers: ['GET /students/answers'],
  list_project_posts: ['GET /students/project-posts'],
  list_roles: [roles],
  enroll_student: [
    ...['POST /student/enroll', orders, details, courseRecord, bundleRecord],
    ...['GET /products/course/{course_id}', 'GET /products/challenge/{course_id}'],
  ],
  unenroll_student: ['POST /student/unenroll', details, orders],
  revoke_course: ['POST /student/revoke-course', details, orders, completion, courseRecord],
  revoke_bundle: ['POST /student/revoke-bundle', details, orders, bundleRecord],
  grant_role: ['POST /student/grant-role', roles],
  revoke_role: ['POST /student/revoke-role', details, orders, roles],
  reset_course_progress: ['POST /student/reset-course-progress', details, orders, completion, courseRecord],
  reset_bundle_progress: ['POST /student/reset-bundle-progress', details, orders, bundleRecord],
  plan_course_outline: [structure],
  // Moving one lesson may renumber others.
  apply_course_outline: [structure, ...lessonChanges],
  find_buyers: [orders, ...product, ...product.map((path) => path.replace('{product}', '{without}'))],
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
  community_digest: ['GET /community/channels', 'GET /community/channels/{channels}/posts', groups],
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
  ...['plan_course_outline', 'apply_course_outline', 'offboard_student', 'revoke_course', 'unenroll_student'],
  // A position alone is refused with the names of the modules.
  ...['sync_roster', 'create_lesson'],
]);

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

function allowedRequests(tool: string, given: Readonly<Record<string, unknown>>): string[] {
  const templates = ownPaths[tool];
  if (templates === undefined) throw new Error(`${tool} has no paths in f2/judge.ts`);
  return templates.flatMap((template) => filled(template, given)).map((request) => request.replace(' /', ' /api/v1/'));
}

/** A tool as tools/list shows it. */
export const listedTool = z.object({
  name: z.string(),
  inputSchema: z.looseObject({}),
  outputSchema: z.looseObject({}),
});
export type ListedTool = z.output<typeof listedTool>;

export function argumentsOf({ inputSchema }: ListedTool): ObjectSchema {
  return objectOf(valueSchema.parse(inputSchema));
}

const toolResult = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().default(false),
});

export const apiKey = 'f2-canary-key-that-nobody-may-see';

const projectFolder = fileURLToPath(new URL('../../..', import.meta.url));
const maxText = 40_000;

/** Internals of the program, which no answer may contain. */
const insides = [
  projectFolder,
  apiKey,
  'node_modules',
  'node:internal',
  'ZodError',
  /\n\s+at .+:\d+/,
  /\.[jt]s:\d+:\d+/,
];

function leakIn(text: string, sent: string): string | undefined {
  const found = insides
    .map((inside) =>
      typeof inside === 'string' ? (text.includes(inside) ? inside : undefined) : inside.exec(text)?.[0],
    )
    // Text that the caller sent is not a leak.
    .find((part) => part !== undefined && !sent.includes(part));
  return found === undefined ? undefined : `shows internals: ${found}`;
}

interface Case {
  readonly sent: string;
  readonly reply: Reply | undefined;
  readonly requests: readonly string[];
}

export type InputResult =
  | 'refused by the protocol'
  | 'invalid_input'
  | 'confirmation_required'
  | 'another error'
  | 'answered';

const ajv = new AjvJsonSchemaValidator();

/** Checks answers against the schemas of tools/list, with another validator than the program's own. */
export function createJudge(tool: ListedTool) {
  const inputIsRight = ajv.getValidator(tool.inputSchema);
  const outputIsRight = ajv.getValidator(tool.outputSchema);

  function judgeProtocolError(
    { code, message }: { code: number; message: string },
    { sent, requests }: Case,
    isObject: boolean,
  ): InputResult {
    if (isObject)
      throw new Error(`object arguments are answered with the protocol error ${code}: ${message.slice(0, 200)}`);
    if (requests.length > 0) throw new Error(`refused, but sent ${requests[0]}`);
    const leak = leakIn(message, sent);
    if (leak !== undefined) throw new Error(leak);
    return 'refused by the protocol';
  }

  function judgeResult(result: unknown, given: Record<string, unknown>, { sent, requests }: Case): InputResult {
    const { content, structuredContent, isError } = toolResult.parse(result);
    const [{ text }] = content;
    const leak = leakIn(text, sent) ?? (text.length > maxText ? `a text of ${text.length} characters` : undefined);
    if (leak !== undefined) throw new Error(leak);
    const code = isError ? (/^\w+(?=:)/.exec(text)?.[0] ?? 'no code') : 'ok';
    const meant = understood(argumentsOf(tool), given);
    const isRight = inputIsRight(meant).valid;
    if (!isRight && code !== 'invalid_input') throw new Error(`the schema refuses it, but: ${code}`);
    const mayLook = isRight && looking.has(tool.name);
    const unwanted = requests.find((request) => !mayLook || !request.startsWith('GET '));
    if (code === 'invalid_input' && unwanted !== undefined) throw new Error(`refused, but sent ${unwanted}`);
    if (code === 'internal' || code === 'no code') throw new Error(`answered: ${text.slice(0, 200)}`);
    const allowed = requests.length > 0 ? allowedRequests(tool.name, meant) : [];
    const astray = requests.find((request) => !allowed.includes(request));
    if (astray !== undefined) throw new Error(`sent ${astray}; its own: ${allowed[0]}`);
    if (code === 'ok' && !outputIsRight(structuredContent).valid) throw new Error('the answer breaks its schema');
    return code === 'ok' ? 'answered' : resultOf(code);
  }

  /** Throws the problem of a case. */
  return (one: Case): InputResult => {
    if (one.reply === undefined) throw new Error('no answer');
    const given: unknown = JSON.parse(one.sent);
    const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
    if (one.reply.error !== undefined) return judgeProtocolError(one.reply.error, one, isObject);
    return judgeResult(one.reply.result, isObject ? (given as Record<string, unknown>) : {}, one);
  };
}

function resultOf(code: string): InputResult {
  return code === 'invalid_input' || code === 'confirmation_required' ? code : 'another error';
}
