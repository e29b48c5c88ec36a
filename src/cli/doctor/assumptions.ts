import { supportedVersion } from '../../api/platform.ts';
import { account } from '../../contract/account.ts';
import { capabilityNames } from '../../contract/capabilities.ts';
import { course, listCourses } from '../../contract/courses.ts';
import { order } from '../../contract/orders.ts';
import { courseStructure } from '../../contract/schemas/lesson.ts';
import { student } from '../../contract/students.ts';
import type { ProductKind } from '../../insights/sales/product-ref.ts';
import { idOf, productLists } from '../../insights/sales/products-in-order.ts';
import { oneLine } from '../../shared/clean-text.ts';
import { isObject } from '../../shared/json.ts';
import {
  type Assumption,
  checkAmount,
  checkCurrency,
  checkEmail,
  checkId,
  checkPercentage,
  checkStatus,
  checkTime,
  differencesIn,
  differs,
  enrolledCourseDifferences,
  fieldDifferences,
  fields,
  holds,
  isFree,
  of,
  ofAccount,
  ofList,
  ofPage,
  orderIdDifferences,
  pageDifferences,
  paidOrderDifferences,
  productDifferences,
  records,
  repeatedLessons,
  sequenceDifferences,
  sizeDifferences,
  structureDifferences,
  studentPageDifferences,
  studentsPerPage,
  totalDifferences,
  values,
} from './checks.ts';
import type { JsonRecord } from './read-platform.ts';

// What the program assumes of the platform. docs/internals/api-assumptions.md says why, and what it does otherwise.

const missingFields = 'answers leave out these fields';
/** Milliseconds. A smaller difference changes no answer. */
const minClockDifference = 60_000;

const platformAssumptions: readonly Assumption[] = [
  {
    id: 'platform.version',
    statement: `Answers have the header X-API-Version: ${supportedVersion}.`,
    impact: 'the platform may differ from the document in any point; compare the answers with the platform',
    check: ({ platform: { apiVersion, hasAnswered } }) => {
      if (!hasAnswered) return undefined;
      if (!apiVersion) return differs('answers have no version');
      return apiVersion === supportedVersion ? holds : differs(`the version is ${oneLine(apiVersion, 40)}`);
    },
  },
  {
    id: 'platform.clock',
    statement: "The server's clock (Date header) differs from the local clock by at most a minute.",
    impact: '"today" and "last week" may miss the newest orders or posts',
    check: ({ platform: { clockDifferenceMs: difference } }) => {
      if (difference === undefined) return differs('answers have no Date header');
      if (Math.abs(difference) <= minClockDifference) return holds;
      const minutes = Math.round(Math.abs(difference) / minClockDifference);
      return differs(`the server is ${minutes} min ${difference > 0 ? 'ahead' : 'behind'}`, true);
    },
  },
];

const accountAssumptions: readonly Assumption[] = [
  {
    id: 'account.fields',
    statement: 'The account has the documented fields with the documented types.',
    impact: missingFields,
    check: ofAccount((row) => fieldDifferences(account, [row], ['currency', 'subscription_plan'])),
  },
  {
    id: 'account.plan',
    statement: '`subscription_plan` contains "academy" on the academy plan, and on no other.',
    impact: 'the program uses a fifth of the rate limit of an academy plan; set ACADEMY_RATE_LIMIT=300',
    check: ofAccount((row) => (typeof row.subscription_plan === 'string' ? holds : differs('the plan is not shown'))),
  },
  {
    id: 'account.currency',
    statement: 'A currency is a code of three letters.',
    impact: 'the currency of prices is unknown',
    check: ofAccount((row) => differencesIn([row.currency], checkCurrency)),
  },
  {
    id: 'account.capabilities',
    statement: 'Each documented capability is true or false.',
    impact: 'a 403 error does not say that the account lacks the capability',
    check: ({ account: body }) => {
      if (body === undefined) return undefined;
      if (!isObject(body.capabilities)) return differs('no capabilities are shown');
      const listed: JsonRecord = body.capabilities;
      const missing = capabilityNames.filter((name) => typeof listed[name] !== 'boolean');
      return missing.length === 0 ? holds : differs(`not shown: ${missing.join(', ')}`);
    },
  },
];

function productsOf(kind: ProductKind): Assumption {
  const name = productLists[kind];
  return {
    id: `orders.${name.replace('_', '-')}`,
    statement: `\`${name}\` of an order lists records with \`id\` and \`title\`.`,
    impact:
      'these products cannot be read: buyers are missing, and answers about buyers and sales say that they are incomplete',
    check: ({ orders }) => productDifferences(kind, orders?.rows ?? []),
  };
}

const orderAssumptions: readonly Assumption[] = [
  {
    id: 'orders.list',
    statement: 'The list of orders is under `orders`, and each entry is a record.',
    impact: 'these entries are missing from every answer about orders; the answers say that they are incomplete',
    check: records('orders'),
  },
  {
    id: 'orders.fields',
    statement: 'An order has the documented fields with the documented types.',
    impact: missingFields,
    check: fields('orders', order, [
      ...['id', 'amount', 'currency', 'status', 'user_email', 'created_at'],
      ...Object.values(productLists),
    ]),
  },
  {
    id: 'orders.total',
    statement: '`meta.total_orders` is the number of orders in the complete list.',
    impact: 'sales questions read until an empty page, one more request, and no total proves that nothing is missing',
    check: ofList('orders', totalDifferences),
  },
  {
    id: 'orders.pages',
    statement: '`meta.total_pages` is the number of pages.',
    impact: 'the number of requests is not known in advance',
    check: ofPage('orders', pageDifferences),
  },
  {
    id: 'orders.page-size',
    statement: 'A page contains as many orders as `per_page` requests, up to 100.',
    impact: 'sales questions need more or larger requests than they announce',
    check: ofPage('orders', sizeDifferences),
  },
  {
    id: 'orders.id',
    statement: 'An order has a unique id, a text.',
    impact: 'orders with identical content count once, and no order can be requested by its id',
    check: ofList('orders', orderIdDifferences),
  },
  {
    id: 'orders.amount',
    statement: 'An amount is a decimal text such as "49.00"; 0 means granted, free or fully discounted.',
    impact: 'these amounts cannot be read: sales answers are incomplete',
    check: values('orders', 'amount', checkAmount),
  },
  {
    id: 'orders.currency',
    statement: 'The currency of an order is a code of three letters.',
    impact: 'sums cannot be split by currency: sales answers are incomplete',
    check: ofList('orders', ({ rows }) =>
      differencesIn(
        rows.filter((row) => !isFree(row)),
        ({ currency }) => checkCurrency(currency),
      ),
    ),
  },
  {
    id: 'orders.time',
    statement: '`created_at` is ISO 8601 in UTC.',
    impact: 'these orders belong to no period: answers about a period are incomplete',
    check: values('orders', 'created_at', checkTime),
  },
  {
    id: 'orders.status',
    statement: 'A status is pending, failed, paid or wallet_executed.',
    impact: 'these orders count neither as paid nor as failed: sales answers list them separately',
    check: values('orders', 'status', checkStatus),
  },
  {
    id: 'orders.email',
    statement: '`user_email` is an email address.',
    impact: 'these orders belong to no known buyer: lists of buyers are incomplete',
    check: values('orders', 'user_email', checkEmail),
  },
  productsOf('course'),
  productsOf('bundle'),
  productsOf('digital_product'),
];

const courseAssumptions: readonly Assumption[] = [
  {
    id: 'courses.list',
    statement: 'The list of courses is complete, under `courses`, and each entry is a record.',
    impact: 'these entries are missing from lists of courses',
    check: records('courses'),
  },
  {
    id: 'courses.item',
    statement: 'A course of the list has the documented fields with the documented types.',
    impact: missingFields,
    check: fields('courses', listCourses.response.item, ['id']),
  },
  {
    id: 'courses.id',
    statement: 'The id of a course is a whole number.',
    impact: 'no tool can name these courses',
    check: values('courses', 'id', checkId),
  },
  {
    id: 'course.fields',
    statement: 'A course has the documented fields with the documented types.',
    impact: missingFields,
    check: of('course', (row) => fieldDifferences(course, [row])),
  },
  {
    id: 'structure.fields',
    statement: '`course`, `modules` with their `lessons`, and `ungrouped_lessons` are all present.',
    impact: 'the structure is incomplete, and plan_course_outline refuses to plan from it',
    check: of('structure', structureDifferences),
  },
  {
    id: 'structure.course',
    statement: 'The structure contains its course with the documented fields.',
    impact: missingFields,
    check: of('structure', ({ course: named }) =>
      isObject(named) ? fieldDifferences(courseStructure.shape.course, [named]) : differs('the course is missing'),
    ),
  },
  {
    id: 'structure.sequence',
    statement: 'Lessons and modules are listed in the order of `sequence`: whole numbers, each once in its list.',
    impact: 'the order of lessons is uncertain, and apply_course_outline refuses lists with an unclear order',
    check: of('structure', sequenceDifferences),
  },
  {
    id: 'structure.once',
    statement: 'A lesson is listed once.',
    impact: 'lessons are counted twice, and plan_course_outline refuses to plan from it',
    check: of('structure', repeatedLessons),
  },
];

const studentAssumptions: readonly Assumption[] = [
  {
    id: 'students.list',
    statement: 'The list of students is under `students`, and each entry is a record.',
    impact: 'these entries are missing from lists of students; the lists say that they are incomplete',
    check: records('students'),
  },
  {
    id: 'students.fields',
    statement: 'A student has the documented fields with the documented types.',
    impact: missingFields,
    check: fields('students', student, ['email', 'created_at', 'completion_percent']),
  },
  {
    id: 'students.total',
    statement: '`meta.total_students` is the number of all students.',
    impact: 'reading all students takes one more request, and no total proves that the list is complete',
    check: ofList('students', ({ rows, meta: { total_students: total } }) => {
      const isEmpty = total === 0 && rows.length === 0;
      return isEmpty || idOf(total) !== undefined ? holds : differs('the students have no total');
    }),
  },
  {
    id: 'students.page-size',
    statement: `A page contains ${studentsPerPage} students.`,
    impact: 'reading all students takes more or larger requests than the tools announce',
    check: ofPage('students', studentPageDifferences),
  },
  {
    id: 'students.email',
    statement: 'A student has an email address.',
    impact: 'no tool can name these students',
    check: values('students', 'email', checkEmail),
  },
  {
    id: 'students.time',
    statement: '`created_at` of a student is ISO 8601 in UTC.',
    impact: 'these students belong to no period',
    check: values('students', 'created_at', checkTime),
  },
  {
    id: 'students.completion',
    statement: '`completion_percent` is a whole number from 0 to 100.',
    impact: 'the progress of these students is unknown: answers about progress are incomplete',
    check: values('students', 'completion_percent', checkPercentage),
  },
];

const detailAssumptions: readonly Assumption[] = [
  {
    id: 'details.student',
    statement: 'Details belong to the student with the requested email.',
    impact: 'student details cannot be trusted: only orders show who holds a product',
    check: of('details', ({ email }, { email: requested }) => {
      const isRequested = typeof email === 'string' && email.trim().toLowerCase() === requested?.toLowerCase();
      return isRequested ? holds : differs('details show another email, or none');
    }),
  },
  {
    id: 'details.fields',
    statement: 'Details have the fields of the list of students.',
    impact: missingFields,
    check: of('details', (row) => fieldDifferences(student, [row], ['email'])),
  },
  {
    id: 'details.paid-orders',
    statement: 'Details contain complete orders under `paid_orders`.',
    impact: 'orders of a student come only from list_orders, without those that only details would show',
    check: of('details', paidOrderDifferences),
  },
  {
    id: 'details.enrolled-courses',
    statement: 'Details contain courses with id and title under `enrolled_courses`.',
    impact: 'a course without an order may be missed: sync_roster may call the student doubtful',
    check: of('details', enrolledCourseDifferences),
  },
  {
    id: 'details.counts',
    statement: 'Details contain `lesson_views_count` and `lesson_completions_count`.',
    impact: 'answers show these numbers under the names of the platform, or not at all',
    check: of('details', (row) => {
      const missing = ['lesson_views_count', 'lesson_completions_count'].filter((key) => !Object.hasOwn(row, key));
      return missing.flatMap((key) => differs(`details show no ${key}`));
    }),
  },
  {
    id: 'details.paying',
    statement: 'Details contain `paying_student`, true or false.',
    impact: 'after an unclear unenroll_student, its outcome stays unknown',
    check: of('details', (row) =>
      typeof row.paying_student === 'boolean' ? holds : differs('details show no paying_student'),
    ),
  },
  {
    id: 'details.completion',
    statement: 'Details contain `total_completion`, a whole number from 0 to 100.',
    impact: 'the overall progress of a student may be unknown',
    check: of('details', (row) => differencesIn([row.total_completion], checkPercentage)),
  },
];

/** Every assumption that `doctor` checks, by the headings of docs/internals/api-assumptions.md. */
export const assumptions: Readonly<Record<string, readonly Assumption[]>> = {
  Platform: platformAssumptions,
  Account: accountAssumptions,
  Orders: orderAssumptions,
  Courses: courseAssumptions,
  Students: [...studentAssumptions, ...detailAssumptions],
};
