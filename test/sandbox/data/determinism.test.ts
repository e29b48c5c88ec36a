import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy, AcademySettings } from '../../../src/sandbox/state/academy.ts';
import { makeAcademy } from './make-academy.ts';

/** Everything that the API can return, as text. */
function everything(academy: Academy): string {
  const { courses, channels, students } = { ...academy.catalogue, ...academy.community, ...academy };
  return JSON.stringify([
    handlers['account.getAccount']({}, academy),
    courses.all().map(({ id }) => handlers['courses.getCourse']({ course_id: id }, academy)),
    courses.all().map(({ id }) => handlers['courses.getCourseStructure']({ course_id: id }, academy)),
    channels.all().map(({ slug }) => handlers['community.searchPosts']({ id_or_slug: slug, per_page: 100 }, academy)),
    students.all().map(({ email }) => handlers['students.getStudentDetails']({ email }, academy)),
    handlers['orders.listOrders']({ status: 'all' }, academy),
    handlers['students.listAssignmentAnswers']({}, academy),
    handlers['students.listProjectPosts']({}, academy),
  ]);
}

test('identical settings give identical bytes', () => {
  expect(everything(makeAcademy())).toBe(everything(makeAcademy()));
});

const others: [string, Partial<AcademySettings>][] = [
  ['seed', { seed: 8 }],
  ['subdomain', { subdomain: 'lantern' }],
  ['now', { now: new Date('2026-03-02T12:00:00Z') }],
  ['number of students', { students: 61 }],
  ['number of orders', { orders: 401 }],
];

test.each(others)('a different %s gives different orders', (_name, settings) => {
  const orders = (academy: Academy) => JSON.stringify(handlers['orders.listOrders']({}, academy));
  expect(orders(makeAcademy(settings))).not.toBe(orders(makeAcademy()));
});

test('orders placed after the seed have identical ids in every copy of an academy', () => {
  const idsAfterEnrolling = () => {
    const academy = makeAcademy();
    for (const course_id of [1, 2, 3]) {
      handlers['access.enrollStudent']({ email: 'ada@example.org', name: 'Ada Example', course_id }, academy);
    }
    return academy.orders.find({ status: 'all', userEmail: 'ada@example.org' }).rows.map(({ id }) => id);
  };
  expect(idsAfterEnrolling()).toHaveLength(3);
  expect(idsAfterEnrolling()).toEqual(idsAfterEnrolling());
});

test('order ids are opaque and never repeat', () => {
  const ids = makeAcademy({ orders: 5000 })
    .orders.all()
    .map(({ id }) => id);
  expect(new Set(ids).size).toBe(5000);
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{12}$/);
  expect([...ids].sort()).not.toEqual(ids);
});

test.each([
  [0, 0],
  [0, 10],
  [1, 1],
  [3, 10],
])('an academy of %i students and %i orders answers all requests', (students, orders) => {
  const academy = makeAcademy({ students, orders });
  expect(everything(academy).length).toBeGreaterThan(10_000);
  expect(academy.students.size).toBe(students);
  expect(academy.orders.size).toBe(students === 0 ? 0 : orders);
});
