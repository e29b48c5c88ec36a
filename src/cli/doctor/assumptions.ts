import type * as z from 'zod';
import { coerce } from '../../api/http/coerce.ts';
import { supportedVersion } from '../../api/platform.ts';
import { account } from '../../contract/account.ts';
import { course, listCourses } from '../../contract/courses.ts';
import { isGranted, order, orderStatuses } from '../../contract/orders.ts';
import { parseDecimal, parsePercent } from '../../contract/schemas/decimal.ts';
import { courseModule, courseStructure, lessonSummary } from '../../contract/schemas/lesson.ts';
import { studentEmail } from '../../contract/schemas/shared-arguments.ts';
import { student, studentDetails } from '../../contract/students.ts';
import { timeOf } from '../../insights/api-time.ts';
import {
  idOf,
  productKinds,
  productLists,
  readProductList,
  readProducts,
} from '../../insights/sales/products-in-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isObject } from '../../shared/json.ts';
import type { JsonRecord, PlatformData, RecordList } from './read-platform.ts';

// What the program assumes of the platform. docs/internals/api-assumptions.md says why, and what it does otherwise. A form
// that the program's own readers understand is no difference. Nothing here shows a value, since it may be personal: only
// shapes, counts and names of documented fields.

/** The differences found, in words. Undefined without data to check; empty if the assumption holds. */
type Found = readonly string[] | undefined;

type Check = (data: PlatformData) => Found;

const maxShapeLength = 40;

/** Describes a value without showing it: digits become 9, letters become a. */
function shapeOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (value === '') return 'an empty text';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  if (typeof value === 'boolean') return 'true or false';
  const masked = String(value)
    .slice(0, maxShapeLength)
    .replace(/\p{N}/gu, '9')
    .replace(/\p{L}/gu, 'a')
    // Keeps three currency symbols, and replaces everything else outside ASCII.
    .replace(/[^\x20-\x7e€£¥]/gu, '?');
  return typeof value === 'number' ? `a number such as ${masked}` : `"${masked}"`;
}

/** Counts the values that cannot be read, and describes the first. */
function unread(values: readonly unknown[], isRead: (value: unknown) => boolean, what: string, show = shapeOf): Found {
  if (values.length === 0) return undefined;
  const odd = values.filter((value) => !isRead(value));
  return odd.length === 0 ? [] : [`${what} ${show(odd[0])} (${odd.length} of ${values.length})`];
}

/** `except`: fields with an assumption of their own. */
function fieldsOf(schema: z.ZodObject, rows: readonly JsonRecord[], ...except: string[]): Found {
  if (rows.length === 0) return undefined;
  const names = Object.keys(schema.shape).filter((name) => !except.includes(name));
  const missing = names.filter((name) => rows.some((row) => row[name] === undefined));
  const odd = new Map<string, string>();
  for (const row of rows) {
    coerce(schema, { ...row }, (path) => {
      const [, name = ''] = path.split('.');
      if (names.includes(name) && row[name] !== null) odd.set(name, `${name} is ${shapeOf(row[name])}`);
    });
  }
  return [...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`]), ...odd.values()];
}

type List = 'orders' | 'courses' | 'students';

const unless = (holds: boolean, found: string): Found => (holds ? [] : [found]);

const ofList =
  (list: List, check: (list: RecordList) => Found): Check =>
  ({ [list]: read }) =>
    read && check(read);

const ofRecord =
  (part: 'course' | 'structure' | 'details', check: (row: JsonRecord, data: PlatformData) => Found): Check =>
  (data) =>
    data[part] && check(data[part], data);

const ofAccount =
  (check: (account: JsonRecord) => Found): Check =>
  ({ account: body }) =>
    body && check(isObject(body.account) ? body.account : {});

const fields = (list: List, schema: z.ZodObject, ...except: string[]) =>
  ofList(list, ({ rows }) => fieldsOf(schema, rows, ...except));

const values = (list: List, field: string, isRead: (value: unknown) => boolean, what: string, show?: typeof shapeOf) =>
  ofList(list, ({ rows }) =>
    unread(
      rows.map((row) => row[field]),
      isRead,
      what,
      show,
    ),
  );

const records = (list: List) =>
  ofList(list, ({ nonRecords }) => unless(nonRecords === 0, `entries that are not records: ${nonRecords}`));

const isText = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown) => idOf(value) !== undefined;
const isTotal = (value: unknown) => value === 0 || value === '0' || isId(value);
const isAmount = (value: unknown) =>
  (isText(value) || typeof value === 'number') && parseDecimal(String(value)) !== undefined;
const isCurrency = (value: unknown) => isText(value) && /^[a-z]{3}$/i.test(value.trim());
const isTime = (value: unknown) => isText(value) && timeOf(value) !== undefined;
const isEmail = (value: unknown) => studentEmail.safeParse(isText(value) ? value.trim() : value).success;
const emailShape = (value: unknown) => (isText(value) && value !== '' ? 'not an address' : shapeOf(value));
const isStatus = (value: unknown) =>
  isText(value) && (orderStatuses as readonly string[]).includes(value.trim().toLowerCase());
/** Shows a value that looks like a status code. Anything else may be personal. */
const statusShape = (value: unknown) =>
  isText(value) && /^[a-z][a-z_-]{0,29}$/i.test(value) ? `"${value}"` : shapeOf(value);

/** An amount of 0 needs no currency. */
const isFree = ({ amount }: JsonRecord) => isGranted(isAmount(amount) ? String(amount) : undefined);

/** Uses the reader of the tools' answers. */
function productsFound({ rows }: RecordList): Found {
  if (rows.length === 0) return undefined;
  const found = productKinds.map((kind) => {
    const odd = rows.filter((row) => readProducts(row).unread.includes(kind));
    const list = odd[0]?.[productLists[kind]];
    const shape = Array.isArray(list) && list.length > 0 ? `an entry is ${shapeOf(list[0])}` : shapeOf(list);
    return odd.length === 0 ? undefined : `${productLists[kind]}: ${shape} (${odd.length} of ${rows.length})`;
  });
  return found.filter((one) => one !== undefined);
}

const rowsOf = (list: unknown): JsonRecord[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** The lists of lessons of each module and of lessons without a module. */
function lessonLists({ modules, ungrouped_lessons: ungrouped }: JsonRecord): unknown[] {
  return [...rowsOf(modules).map(({ lessons }) => lessons), ungrouped];
}

function listProblem(name: string, list: unknown): string[] {
  if (!Array.isArray(list)) return [`${name} is ${shapeOf(list)}`];
  const nonRecords = list.length - rowsOf(list).length;
  return nonRecords === 0 ? [] : [`entries of ${name} that are not records: ${nonRecords}`];
}

const innerLists = ['modules', 'children', 'sections', 'submodules'];

/** Compares all levels of a course with the documented fields. */
function structureFound(structure: JsonRecord): Found {
  const modules = rowsOf(structure.modules);
  const isNested = modules.some((module) => innerLists.some((key) => rowsOf(module[key]).length > 0));
  const within = (record: string, found: Found = []) => found.map((one) => `in ${record}: ${one}`);
  return [
    ...(isObject(structure.course)
      ? within('the course', fieldsOf(courseStructure.shape.course, [structure.course]))
      : ['the course is missing']),
    ...listProblem('modules', structure.modules),
    ...listProblem('ungrouped_lessons', structure.ungrouped_lessons),
    ...new Set(modules.flatMap((module) => listProblem('lessons of a module', module.lessons))),
    ...(isNested ? ['a module contains modules'] : []),
    ...within('a module', fieldsOf(courseModule, modules, 'lessons', 'sequence')),
    ...within('a lesson', fieldsOf(lessonSummary, lessonLists(structure).flatMap(rowsOf), 'sequence')),
  ];
}

/** Undefined if every list is empty. */
function sequencesFound(structure: JsonRecord): Found {
  const lists = [structure.modules, ...lessonLists(structure)].map(rowsOf).filter(({ length }) => length > 0);
  const found = lists.flatMap((list) => {
    const numbers = list.map(({ sequence }) => sequence);
    const odd = numbers.findIndex((number) => !Number.isInteger(number));
    if (odd >= 0) return `a sequence is ${shapeOf(numbers[odd])}`;
    return new Set(numbers).size < numbers.length ? 'a sequence is repeated in its list' : [];
  });
  return lists.length === 0 ? undefined : [...new Set(found)];
}

/** Undefined without lessons. */
function repeatsFound(structure: JsonRecord): Found {
  const ids = lessonLists(structure)
    .flatMap(rowsOf)
    .flatMap(({ id }) => idOf(id) ?? []);
  const repeated = ids.length - new Set(ids).size;
  return ids.length === 0 ? undefined : unless(repeated === 0, `lessons listed more than once: ${repeated}`);
}

/** The list under the first of these keys with a value: the platform's documents show no key. */
function detailsList(details: JsonRecord, keys: readonly [string, string], isRead: (entry: unknown) => boolean): Found {
  const [assumed] = keys;
  const list = keys.map((key) => details[key]).find((value) => value !== undefined && value !== null);
  if (!Array.isArray(list)) return [`${assumed} is ${shapeOf(list)}`];
  return unread(list, isRead, 'an entry is') ?? [];
}

/** An order that can be joined with the list of orders. */
const isOrder = (entry: unknown) =>
  isObject(entry) && isText(entry.id) && entry.status !== undefined && entry.courses !== undefined;
const isCourse = (entry: unknown) => readProductList([entry], 'course', false)?.isWhole === true;

const missingFields = 'answers leave out these fields';

/** By the ids of their rows in docs/internals/api-assumptions.md. The impact is the effect of a difference on the user. */
export const assumptions: Readonly<Record<string, readonly [statement: string, impact: string, check: Check]>> = {
  'platform.version': [
    `Answers have the header X-API-Version: ${supportedVersion}.`,
    'the platform may differ from the document in any point; compare the answers with the platform',
    ({ platform: { apiVersion, hasAnswered } }) =>
      hasAnswered
        ? unless(apiVersion === supportedVersion, `the version is ${apiVersion ? oneLine(apiVersion, 40) : 'missing'}`)
        : undefined,
  ],
  'account.fields': [
    'The account has the documented fields with the documented types.',
    missingFields,
    ofAccount((row) => fieldsOf(account, [row], 'subscription_plan')),
  ],
  'account.plan': [
    '`subscription_plan` contains "academy" on the academy plan, and on no other.',
    'the program uses a fifth of the rate limit of an academy plan; set ACADEMY_RATE_LIMIT=300',
    ofAccount((row) => unless(isText(row.subscription_plan), 'the plan is not shown')),
  ],
  'orders.list': [
    'The list of orders is under `orders`, and each entry is a record.',
    'these entries are missing from every answer about orders; the answers say that they are incomplete',
    records('orders'),
  ],
  'orders.fields': [
    'An order has the documented fields with the documented types.',
    missingFields,
    fields(
      'orders',
      order,
      ...['id', 'amount', 'currency', 'status', 'user_email', 'created_at'],
      ...Object.values(productLists),
    ),
  ],
  'orders.total': [
    '`meta.total_orders` is the number of orders in the complete list.',
    'sales questions read until an empty page, one more request, and no total proves that nothing is missing',
    ofList('orders', ({ rows, meta: { total_orders: total } }) =>
      isTotal(total)
        ? unless(Number(total) >= rows.length, 'the total is less than the number of orders on the page')
        : ['the orders have no total'],
    ),
  ],
  'orders.id': [
    'An order has a unique id, a text.',
    'orders with identical content count once, and no order can be requested by its id',
    ofList('orders', ({ rows }) => {
      const ids = rows.map(({ id }) => id);
      const found = unread(ids, (id) => typeof id === 'number' || (isText(id) && id !== ''), 'id');
      const repeated = ids.length - new Set(ids).size;
      return found?.length === 0 && repeated > 0 ? [`${repeated} of ${ids.length} ids are repeated`] : found;
    }),
  ],
  'orders.amount': [
    'An amount is a decimal text such as "49.00"; 0 means granted, free or fully discounted.',
    'these amounts cannot be read: sales answers are incomplete',
    values('orders', 'amount', isAmount, 'amount'),
  ],
  'orders.currency': [
    'The currency of an order is a code of three letters.',
    'sums cannot be split by currency: sales answers are incomplete',
    ofList('orders', ({ rows }) => {
      const sold = rows.filter((row) => !isFree(row));
      return unread(
        sold.map(({ currency }) => currency),
        isCurrency,
        'currency',
      );
    }),
  ],
  'orders.time': [
    '`created_at` is ISO 8601 in UTC.',
    'these orders belong to no period: answers about a period are incomplete',
    values('orders', 'created_at', isTime, 'time'),
  ],
  'orders.status': [
    'A status is pending, failed, paid or wallet_executed.',
    'these orders count neither as paid nor as failed: sales answers list them separately',
    values('orders', 'status', isStatus, 'the status', statusShape),
  ],
  'orders.email': [
    '`user_email` is an email address.',
    'these orders belong to no known buyer: lists of buyers are incomplete',
    values('orders', 'user_email', isEmail, 'the email is', emailShape),
  ],
  'orders.products': [
    '`courses`, `bundles` and `digital_products` of an order list records with `id` and `title`.',
    'these products cannot be read: buyers are missing, and answers about buyers and sales say that they are incomplete',
    ofList('orders', productsFound),
  ],
  'courses.list': [
    'The list of courses is complete, under `courses`, and each entry is a record.',
    'these entries are missing from lists of courses',
    records('courses'),
  ],
  'courses.item': [
    'A course of the list has the documented fields with the documented types.',
    missingFields,
    fields('courses', listCourses.response.item, 'id'),
  ],
  'courses.id': [
    'The id of a course is a whole number.',
    'no tool can name these courses',
    values('courses', 'id', isId, 'id'),
  ],
  'course.fields': [
    'A course has the documented fields with the documented types.',
    missingFields,
    ofRecord('course', (row) => fieldsOf(course, [row])),
  ],
  'structure.fields': [
    '`course`, `modules` with their `lessons`, and `ungrouped_lessons` are all present, with the documented fields.',
    'the structure is incomplete, and plan_course_outline refuses to plan from it',
    ofRecord('structure', structureFound),
  ],
  'structure.sequence': [
    'Lessons and modules have a `sequence`: whole numbers, each once in its list.',
    'the order of lessons is uncertain, and apply_course_outline refuses lists with an unclear order',
    ofRecord('structure', sequencesFound),
  ],
  'structure.once': [
    'A lesson is listed once.',
    'lessons are counted twice, and plan_course_outline refuses to plan from it',
    ofRecord('structure', repeatsFound),
  ],
  'students.list': [
    'The list of students is under `students`, and each entry is a record.',
    'these entries are missing from lists of students; the lists say that they are incomplete',
    records('students'),
  ],
  'students.fields': [
    'A student has the documented fields with the documented types.',
    missingFields,
    fields('students', student, 'email', 'created_at', 'completion_percent'),
  ],
  'students.total': [
    '`meta.total_students` is the number of all students.',
    'reading all students takes one more request, and no total proves that the list is complete',
    ofList('students', ({ meta }) => unless(isTotal(meta.total_students), 'the students have no total')),
  ],
  'students.email': [
    'A student has an email address.',
    'no tool can name these students',
    values('students', 'email', isEmail, 'the email is', emailShape),
  ],
  'students.time': [
    '`created_at` of a student is ISO 8601 in UTC.',
    'these students belong to no period',
    values('students', 'created_at', isTime, 'time'),
  ],
  'students.completion': [
    '`completion_percent` is a whole number from 0 to 100.',
    'the progress of these students is unknown: answers about progress are incomplete',
    values('students', 'completion_percent', (value) => parsePercent(value) !== undefined, 'percentage'),
  ],
  'details.student': [
    'Details belong to the student with the requested email.',
    'student details cannot be trusted: only orders show who holds a product',
    ofRecord('details', ({ email }, { email: requested }) =>
      unless(
        isText(email) && email.trim().toLowerCase() === requested?.toLowerCase(),
        'details show another email, or none',
      ),
    ),
  ],
  'details.fields': [
    'Details have the fields of the list of students, and numbers of lesson views and completions.',
    missingFields,
    ofRecord('details', (row) =>
      fieldsOf(studentDetails, [row], 'email', 'paying_student', 'total_completion', 'paid_orders', 'enrolled_courses'),
    ),
  ],
  'details.paying': [
    'Details contain `paying_student`, true or false.',
    'after an unclear unenroll_student, its outcome stays unknown',
    ofRecord('details', (row) => unless(typeof row.paying_student === 'boolean', 'details show no paying_student')),
  ],
  'details.paid-orders': [
    'Details contain complete orders under `paid_orders`.',
    'orders of a student come only from list_orders, without those that only details would show',
    ofRecord('details', (row) => detailsList(row, ['paid_orders', 'orders'], isOrder)),
  ],
  'details.enrolled-courses': [
    'Details contain courses with id and title under `enrolled_courses`.',
    'a course without an order may be missed: sync_roster may call the student doubtful',
    ofRecord('details', (row) => detailsList(row, ['enrolled_courses', 'courses'], isCourse)),
  ],
};
