import { paidOrders } from '../academy/handlers/students.ts';
import type { Academy } from '../academy/rules.ts';
import type { Json, Student } from '../academy/state.ts';
import { titled } from '../academy/views.ts';
import { records } from './helpers.ts';
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

/** Writes each order of the student in another form. */
const orders = (write: (order: Json, index: number) => unknown) => (shown: Json) => ({
  ...shown,
  paid_orders: records(shown.paid_orders).map(write),
});
/** Writes each course in another form. */
const courses = (write: (course: Json, index: number) => unknown) => (shown: Json) => ({
  ...shown,
  enrolled_courses: records(shown.enrolled_courses).map(write),
});

function renamed(shown: Json, names: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [names[key] ?? key, value]));
}

export const detailSwitches: readonly Switch[] = [
  details('orders-courses', 'the keys orders and courses', (shown) =>
    renamed(shown, { paid_orders: 'orders', enrolled_courses: 'courses' }),
  ),
  details('wrapped', 'under the key student', (shown) => ({ student: shown })),
  details(
    'course-rows',
    'enrollment rows with their own id and course_id',
    courses(({ id, title }, index) => ({ id: 18 - index, course_id: id, title })),
  ),
  details('course-missing', 'no courses', ({ enrolled_courses: _gone, ...shown }) => shown),
  details('direct-only', 'only courses that are not from a bundle', (shown, student, { state }) => {
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
  details('orders-internal', 'orders with their row number as the id', (shown, student, { state }) => {
    const own = paidOrders(state, student);
    return orders((order, index) => ({ ...order, id: own[index]?.number }))(shown);
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
