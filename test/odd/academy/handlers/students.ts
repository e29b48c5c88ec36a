import { type Academy, type Call, failure, isWithin, notFound, ok, paged, type Reply, shaped } from '../rules.ts';
import { iso, type Json, type Order, productOf, type State, type Student, sameEmail } from '../state.ts';
import { orderView, studentView, titled, totalCompletion } from '../views.ts';

const statuses = ['pending', 'failed', 'paid', 'wallet_executed', 'all'];

function isOfStudent(email: string, wanted: string, academy: Academy): boolean {
  const own = academy.rules.findLast(({ ofStudent }) => ofStudent !== undefined)?.ofStudent;
  return own === undefined ? email === wanted : own(email, wanted, academy);
}

/** Newest first. */
export function ordersFor(call: Call, academy: Academy): Order[] {
  const { status = 'paid', user_email } = call.query;
  return academy.state.orders
    .filter((order) => status === 'all' || order.status === status)
    .filter(({ email }) => user_email === undefined || isOfStudent(email, user_email, academy))
    .filter((order) => isWithin(order.at, call, academy))
    .sort((one, other) => other.at - one.at);
}

export function listOrders(call: Call, academy: Academy): Reply {
  const { status = 'paid', page, per_page = '50' } = call.query;
  if (!statuses.includes(status)) return failure(422, 'invalid_parameter', 'status is not valid');
  const size = Number(per_page);
  if (!(size >= 1 && size <= 100)) return failure(422, 'invalid_parameter', 'per_page is not valid');
  const all = ordersFor(call, academy).map((order) => orderView(order, academy));
  return paged({ list: 'orders', all, size: page === undefined ? Math.max(1, all.length) : size }, call, academy);
}

export function getOrder({ ids: [id] }: Call, academy: Academy): Reply {
  const order = academy.state.orders.find((one) => one.id === id);
  return order === undefined ? notFound() : ok(orderView(order, academy));
}

/** Page size is fixed. API document: "Limits". */
const size = 50;

export function studentBy({ students }: State, email: unknown): Student | undefined {
  return students.find((student) => typeof email === 'string' && sameEmail(student.email, email));
}

export function listStudents(call: Call, academy: Academy): Reply {
  const all = academy.state.students.map((student) => studentView(student, academy));
  return paged({ list: 'students', all, size }, call, academy);
}

/** Orders that were paid, by card or from the wallet, newest first. */
export function paidOrders({ orders }: State, { id }: Student) {
  return orders
    .filter(({ student, status }) => student === id && (status === 'paid' || status === 'wallet_executed'))
    .sort((one, other) => other.at - one.at);
}

/** Ids of the courses that a student has through any order. */
export function heldCourses(state: State, student: Student): number[] {
  const listed = paidOrders(state, student).flatMap(({ courses, bundles }) => [
    ...courses,
    ...bundles.flatMap((id) => productOf(state, 'bundle', id)?.courses ?? []),
  ]);
  return [...new Set(listed)].sort((one, other) => one - other);
}

export function detailsView(student: Student, academy: Academy): Json {
  const { state } = academy;
  const shown: Json = {
    ...studentView(student, academy),
    paying_student: student.paying,
    total_completion: totalCompletion(student),
    lesson_views_count: 12,
    lesson_completions_count: 7,
    paid_orders: paidOrders(state, student).map((order) => orderView(order, academy)),
    enrolled_courses: titled(state, 'course', heldCourses(state, student)),
  };
  return shaped(academy, shown, (rules, value) => rules.details?.(value, student, academy));
}

export function studentDetails({ query }: Call, academy: Academy): Reply {
  const student = studentBy(academy.state, query.email);
  return student === undefined ? notFound() : ok(detailsView(student, academy));
}

export function completedStudents(_call: Call, academy: Academy): Reply {
  const done = academy.state.students.filter((student) => totalCompletion(student) >= 100);
  return ok({
    students: done.map((student) => ({ ...studentView(student, academy), total_completion: totalCompletion(student) })),
  });
}

export function completion({ ids: [course], body }: Call, { state }: Academy): Reply {
  if (typeof body.user_email !== 'string') return failure(422, 'invalid_parameter', 'user_email is required');
  const student = studentBy(state, body.user_email);
  if (student === undefined || productOf(state, 'course', Number(course)) === undefined) return notFound();
  const { id, name, email, at, percents } = student;
  const facts = { enrolled: true, admin: false, is_active: true, sign_in_count: 3, points: 9 };
  const percent = {
    completion_percent: totalCompletion(student),
    course_completion_percent: percents.get(Number(course)) ?? 0,
  };
  return ok({ id, name, email, created_at: iso(at), ...facts, ...percent });
}
