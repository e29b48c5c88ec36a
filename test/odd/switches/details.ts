import { failure, html, notFound, ok, type Reply } from '../academy/call.ts';
import { heldCourses, paidOrders, studentBy } from '../academy/handlers/students.ts';
import type { Academy, Rules } from '../academy/rules.ts';
import { type Json, type Student, sameEmail } from '../academy/state.ts';
import { titled } from '../academy/views.ts';
import { bulk, type Switch, students } from './switch.ts';

const probes = [...students, ...bulk, 'enroll_student'];

function details(
  name: string,
  says: string,
  rewrite: (shown: Json, student: Student, academy: Academy) => Json,
  kind: Switch['kind'] = 'open',
): Switch {
  return { name: `details-${name}`, class: 'student details', kind, says, probes, rules: { details: rewrite } };
}

const records = (value: unknown): Json[] => (Array.isArray(value) ? value : []);

/** Each order of the student written in another way. */
const orders = (write: (order: Json, index: number) => unknown) => (shown: Json) => ({
  ...shown,
  paid_orders: records(shown.paid_orders).map(write),
});
/** Each course written in another way. */
const courses = (write: (course: Json, index: number) => unknown) => (shown: Json) => ({
  ...shown,
  enrolled_courses: records(shown.enrolled_courses).map(write),
});

function only(order: Json, ...keys: string[]): Json {
  return Object.fromEntries(keys.map((key) => [key, order[key]]));
}

function renamed(shown: Json, names: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [names[key] ?? key, value]));
}

/** Every read of details answers this. */
function detailsReply(
  name: string,
  says: string,
  reply: (student: Student | undefined, academy: Academy) => Reply | undefined,
  more: Partial<Switch> = {},
): Switch {
  const rules: Rules = {
    before: ({ route, query }, academy) =>
      route === 'students.details' ? reply(studentBy(academy.state, query.email), academy) : undefined,
  };
  return { name: `details-${name}`, class: 'not found', kind: 'open', says, probes, rules, ...more };
}

const nobody = /no (such )?student|there is no student|not a student/i;
/** Answers of details for an email that no student has. */
const unknown = (name: string, says: string, reply: (academy: Academy) => Reply) =>
  detailsReply(`unknown-${name}`, says, (student, academy) => (student === undefined ? reply(academy) : undefined), {
    probes: ['diagnose_access/nobody', 'diagnose_access/buyer', 'enroll_student/new', ...bulk],
  });

export const detailSwitches: readonly Switch[] = [
  details('orders-courses', 'the keys orders and courses', (shown) =>
    renamed(shown, { paid_orders: 'orders', enrolled_courses: 'courses' }),
  ),
  details('purchases', 'the keys purchases and enrollments', (shown) =>
    renamed(shown, { paid_orders: 'purchases', enrolled_courses: 'enrollments' }),
  ),
  details('wrapped', 'under the key student', (shown) => ({ student: shown })),
  details(
    'beside',
    'attributes under student, the lists beside it',
    ({ paid_orders, enrolled_courses, ...student }) => ({ student, paid_orders, enrolled_courses }),
  ),
  details('course-map', 'courses as a map of id to title', (shown) => ({
    ...shown,
    enrolled_courses: Object.fromEntries(records(shown.enrolled_courses).map(({ id, title }) => [String(id), title])),
  })),
  details(
    'course-titles',
    'courses as titles',
    courses(({ title }) => title),
  ),
  details(
    'course-ids',
    'courses as ids',
    courses(({ id }) => id),
  ),
  details(
    'course-rows',
    'enrollment rows with an id of their own and course_id',
    courses(({ id, title }, index) => ({ id: 18 - index, course_id: id, title })),
  ),
  details(
    'course-nested',
    'enrollment rows with an id of their own and {course: {id}}',
    courses(({ id, title }, index) => ({ id: 18 - index, course: { id, title } })),
  ),
  details('course-null', 'null for the courses', (shown) => ({ ...shown, enrolled_courses: null })),
  details('course-missing', 'no courses', ({ enrolled_courses: _gone, ...shown }) => shown),
  details('course-count', 'the number of courses', (shown) => ({
    ...shown,
    enrolled_courses: records(shown.enrolled_courses).length,
  })),
  details('direct-only', 'only courses that did not come in a bundle', (shown, student, { state }) => {
    const direct = paidOrders(state, student).flatMap((order) => (order.bundles.length === 0 ? order.courses : []));
    return {
      ...shown,
      enrolled_courses: titled(
        state,
        'course',
        [...new Set(direct)].sort((one, other) => one - other),
      ),
    };
  }),
  details(
    'orders-slim',
    'orders with id, amount, created_at',
    orders((order) => only(order, 'id', 'amount', 'created_at')),
  ),
  details(
    'orders-no-id',
    'orders without an id',
    orders(({ id: _gone, ...order }) => order),
  ),
  details('orders-internal', 'orders with the number of their row as id', (shown, student, { state }) => {
    const own = paidOrders(state, student);
    return orders((order, index) => ({ ...order, id: own[index]?.number }))(shown);
  }),
  details('orders-internal-slim', 'slim orders with the number of their row as id', (shown, student, { state }) => {
    const own = paidOrders(state, student);
    return orders((order, index) => ({ id: own[index]?.number, amount: order.amount, description: 'Order' }))(shown);
  }),
  details('orders-by-card', 'without orders from the wallet', (shown) => ({
    ...shown,
    paid_orders: records(shown.paid_orders).filter(({ status }) => status === 'paid'),
  })),
  details('orders-purchased', 'without orders of amount 0', (shown) => ({
    ...shown,
    paid_orders: records(shown.paid_orders).filter(({ amount }) => Number(amount) > 0),
  })),
  details('orders-count', 'the number of orders', (shown) => ({
    ...shown,
    paid_orders: records(shown.paid_orders).length,
  })),
  details(
    'orders-titles',
    'orders as descriptions',
    orders(({ description, amount }) => `${description} ${amount}`),
  ),
  details(
    'orders-ids',
    'orders as ids',
    orders(({ id }) => id),
  ),
  details('orders-null', 'null for the orders', (shown) => ({ ...shown, paid_orders: null })),
  details('orders-missing', 'no orders', ({ paid_orders: _gone, ...shown }) => shown),
  details(
    'orders-no-status',
    'orders without a status',
    orders(({ status: _gone, ...order }) => order),
  ),
  details(
    'attributes-only',
    'neither orders nor courses',
    ({ paid_orders: _one, enrolled_courses: _two, ...shown }) => shown,
  ),
  details(
    'orders-no-products',
    'orders without their products',
    orders(({ courses: _one, bundles: _two, digital_products: _three, ...order }) => order),
  ),
];

const missing = (name: string, says: string, reply: () => Reply, more: Partial<Switch> = {}) =>
  detailsReply(name, says, reply, { lies: nobody, kind: 'departs', ...more });

export const notFoundSwitches: readonly Switch[] = [
  missing(
    'endpoint',
    'details are not available: 404 endpoint_not_available',
    () => failure(404, 'endpoint_not_available', 'Endpoint not available'),
    { kind: 'open' },
  ),
  missing('html', 'details are not there: a 404 web page', () =>
    html(404, '<html><body>The page was not found</body></html>'),
  ),
  missing('empty-404', 'details are not there: 404 and nothing', () => ({ status: 404, headers: {}, body: undefined })),
  missing('empty', '200 and nothing, for everybody', () => ok(undefined)),
  missing('null', '200 null, for everybody', () => ok(null)),
  missing('object', '200 {}, for everybody', () => ok({})),
  missing('error', '200 {"error"}, for everybody', () => ok({ error: 'Something went wrong' })),
  missing('list', '200 [], for everybody', () => ok([])),
  missing('403', '403, for everybody', () => failure(403, 'forbidden', 'Not allowed')),
  missing('500', '500, for everybody', () => failure(500, 'internal', 'Something went wrong')),
  unknown('no-code', '404 {"error"} without a code for an unknown email', () => ({
    ...notFound(),
    body: { error: 'Student not found' },
  })),
  unknown('html', 'a 404 web page for an unknown email', () => html(404, '<html><body>Not found</body></html>')),
  unknown('object', '200 {} for an unknown email', () => ok({})),
  unknown('null', '200 null for an unknown email', () => ok(null)),
  unknown('empty', '200 and nothing for an unknown email', () => ok(undefined)),
  unknown('error', '200 {"error"} for an unknown email', () => ok({ error: 'Student not found' })),
  unknown('422', '422 for an unknown email', () => failure(422, 'invalid_parameter', 'email is not known')),
  unknown('other', 'another student for an unknown email', ({ state }) => {
    const [, other] = state.students;
    return ok({
      id: other?.id,
      name: other?.name,
      email: other?.email,
      paid_orders: [],
      enrolled_courses: titled(state, 'course', other === undefined ? [] : heldCourses(state, other)),
    });
  }),
];

function filter(name: string, kind: Switch['kind'], says: string, ofStudent: NonNullable<Rules['ofStudent']>): Switch {
  return {
    name: `filter-${name}`,
    class: 'filters',
    kind,
    says,
    probes: ['list_orders/student', 'list_orders/nobody', ...probes],
    rules: { ofStudent },
  };
}

const firstName = (email: string) => email.toLowerCase().split('.')[0] ?? '';

function filterReply(name: string, says: string, reply: () => Reply): Switch {
  const rules: Rules = {
    before: ({ route, query }, { state }) => {
      const isAsked = route === 'orders.list' && query.user_email !== undefined;
      return isAsked && !state.orders.some(({ email }) => email === query.user_email) ? reply() : undefined;
    },
  };
  return {
    name: `filter-${name}`,
    class: 'filters',
    kind: 'open',
    says,
    probes: ['list_orders/nobody', ...probes],
    rules,
  };
}

export const filterSwitches: readonly Switch[] = [
  filter('partial', 'departs', 'a part of the email is enough', (email, asked) =>
    email.toLowerCase().includes(firstName(asked)),
  ),
  filter('ignored', 'departs', 'the email is ignored', () => true),
  filter(
    'unknown-ignored',
    'departs',
    'an email without orders is ignored',
    (email, asked, { state }) => email === asked || !state.orders.some((order) => order.email === asked),
  ),
  filter('capitals', 'fine', 'capitals do not count', sameEmail),
  filterReply('unknown-404', '404 for an email without orders', notFound),
  filterReply('unknown-422', '422 for an email without orders', () =>
    failure(422, 'invalid_parameter', 'user_email is not known'),
  ),
  {
    name: 'filter-emails-missing',
    class: 'filters',
    kind: 'departs',
    says: 'every third order without an email',
    probes: ['find_buyers', 'sales_report', 'list_orders', 'course_progress', ...students],
    rules: { order: (shown, { number }) => (number % 3 === 0 ? { ...shown, user_email: null } : shown) },
  },
  {
    name: 'filter-emails-nested',
    class: 'filters',
    kind: 'departs',
    says: 'the email of an order under user',
    probes: ['find_buyers', 'sales_report', 'list_orders', 'course_progress', ...students],
    rules: { order: ({ user_email: email, ...shown }) => ({ ...shown, user: { email } }) },
  },
];
