import { heldCourses, paidOrders, studentBy } from '../academy/handlers/students.ts';
import { type Academy, type Call, failure, html, notFound, ok, type Reply, type Rules } from '../academy/rules.ts';
import { type Json, type Student, sameEmail, titled } from '../academy/state.ts';
import { bulk, classOf, records, type Switch, students } from './switch.ts';

const personProbes = [...students, ...bulk, 'enroll_student'];

const filter = classOf('filter', 'filters', {
  kind: 'departs',
  probes: ['list_orders/student', 'list_orders/nobody', ...personProbes],
});

const firstName = (email: string) => email.toLowerCase().split('.')[0] ?? '';

const ofUnknown = (reply: () => Reply) => ({
  ...{ kind: 'open' as const, probes: ['list_orders/nobody', ...personProbes] },
  before: ({ route, query }: Call, { state }: Academy) => {
    const isAsked = route === 'orders.list' && query.user_email !== undefined;
    return isAsked && !state.orders.some(({ email }) => email === query.user_email) ? reply() : undefined;
  },
});

export const filterSwitches: readonly Switch[] = [
  filter('partial', 'a part of the email matches', {
    ofStudent: (email, wanted) => email.toLowerCase().includes(firstName(wanted)),
  }),
  filter('ignored', 'the email is ignored', { ofStudent: () => true }),
  filter('unknown-ignored', 'an email without orders is ignored', {
    ofStudent: (email, wanted, { state }) => email === wanted || !state.orders.some((order) => order.email === wanted),
  }),
  filter('capitals', 'letter case is ignored', { kind: 'fine', ofStudent: sameEmail }),
  filter('unknown-404', '404 for an email without orders', ofUnknown(notFound)),
  filter('unknown-422', '422 for an email without orders', {
    ...ofUnknown(() => failure(422, 'invalid_parameter', 'user_email is not known')),
  }),
  filter('emails-missing', 'every third order without an email', {
    probes: ['find_buyers', 'sales_report', 'list_orders', 'course_progress', ...students],
    order: (shown, { number }) => (number % 3 === 0 ? { ...shown, user_email: null } : shown),
  }),
];

const absent = classOf('details', 'not found', { kind: 'departs', probes: personProbes });

const nobody = /no (such )?student|there is no student|not a student/i;
const onDetails = (reply: (student: Student | undefined, academy: Academy) => Reply | undefined): Rules => ({
  before: ({ route, query }, academy) =>
    route === 'students.details' ? reply(studentBy(academy.state, query.email), academy) : undefined,
});
const unknown = (name: string, says: string, reply: (academy: Academy) => Reply) =>
  absent(`unknown-${name}`, says, {
    ...onDetails((student, academy) => (student === undefined ? reply(academy) : undefined)),
    kind: 'open',
    probes: ['diagnose_access/nobody', 'diagnose_access/buyer', 'enroll_student/new', ...bulk],
  });

const missing = (name: string, says: string, reply: () => Reply, kind: Switch['kind'] = 'departs') =>
  absent(name, says, { ...onDetails(reply), lies: nobody, kind });

const unavailable = () => failure(404, 'endpoint_not_available', 'Endpoint not available');

export const notFoundSwitches: readonly Switch[] = [
  missing('endpoint', 'details are not available: 404 endpoint_not_available', unavailable, 'open'),
  missing('html', 'details are not available: a 404 web page', () =>
    html(404, '<html><body>The page was not found</body></html>'),
  ),
  missing('empty', 'an empty 200 for all students', () => ok(undefined)),
  missing('error', '200 {"error"} for all students', () => ok({ error: 'Something went wrong' })),
  missing('403', '403, for everybody', () => failure(403, 'forbidden', 'Not allowed')),
  missing('500', '500 for all students', () => failure(500, 'internal', 'Something went wrong')),
  unknown('no-code', '404 {"error"} without a code for an unknown email', () => ({
    ...notFound(),
    body: { error: 'Student not found' },
  })),
  unknown('html', 'a 404 web page for an unknown email', () => html(404, '<html><body>Not found</body></html>')),
  unknown('empty', 'an empty 200 for an unknown email', () => ok(undefined)),
  unknown('error', '200 {"error"} for an unknown email', () => ok({ error: 'Student not found' })),
  unknown('422', '422 for an unknown email', () => failure(422, 'invalid_parameter', 'email is not known')),
  unknown('other', 'another student for an unknown email', ({ state }) => {
    const [, other] = state.students;
    const courses = titled(state, 'course', other === undefined ? [] : heldCourses(state, other));
    return ok({ id: other?.id, name: other?.name, email: other?.email, paid_orders: [], enrolled_courses: courses });
  }),
];

const shown = classOf('details', 'student details', { kind: 'open', probes: personProbes });
const details = (name: string, says: string, rewrite: NonNullable<Rules['details']>) =>
  shown(name, says, { details: rewrite });

function renamed(shown: Json, names: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [names[key] ?? key, value]));
}

export const detailSwitches: readonly Switch[] = [
  details('orders-courses', 'the keys orders and courses', (shown) =>
    renamed(shown, { paid_orders: 'orders', enrolled_courses: 'courses' }),
  ),
  details('course-rows', 'enrollment rows with their own id and course_id', (shown) => ({
    ...shown,
    enrolled_courses: records(shown.enrolled_courses).map(({ id, title }, index) => {
      return { id: 18 - index, course_id: id, title };
    }),
  })),
  details('course-missing', 'no courses', ({ enrolled_courses: _gone, ...shown }) => shown),
  details('direct-only', 'only courses that are not from a bundle', (shown, student, { state }) => {
    const direct = paidOrders(state, student).flatMap((order) => (order.bundles.length === 0 ? order.courses : []));
    const ids = [...new Set(direct)].sort((one, other) => one - other);
    return { ...shown, enrolled_courses: titled(state, 'course', ids) };
  }),
  details('orders-internal', 'orders with their row number as the id', (shown, student, { state }) => {
    const own = paidOrders(state, student);
    const paid_orders = records(shown.paid_orders).map((order, index) => ({ ...order, id: own[index]?.number }));
    return { ...shown, paid_orders };
  }),
  details('orders-by-card', 'without orders from the wallet', (shown) => ({
    ...shown,
    paid_orders: records(shown.paid_orders).filter(({ status }) => status === 'paid'),
  })),
  details('orders-purchased', 'without orders of amount 0', (shown) => ({
    ...shown,
    paid_orders: records(shown.paid_orders).filter(({ amount }) => Number(amount) > 0),
  })),
  details('orders-missing', 'no orders', ({ paid_orders: _gone, ...shown }) => shown),
  details('attributes-only', 'neither orders nor courses', ({ paid_orders: _one, enrolled_courses: _two, ...rest }) => {
    return rest;
  }),
];
