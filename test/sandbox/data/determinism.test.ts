import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPathSegment } from '../../../src/contract/schemas/input-fields.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { createRandom, hash } from '../../../src/sandbox/seed/random.ts';
import type { Academy, AcademySettings } from '../../../src/sandbox/state/academy.ts';
import { findByIdOrSlug, slugOf, uniqueSlug } from '../../../src/sandbox/state/collections.ts';
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

test('the slug of any name is a valid path segment', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (name) => {
      expect(isPathSegment(slugOf(name, 'channel'))).toBe(true);
    }),
    { seed: 4 },
  );
  expect(slugOf('Café & Crème — अनुराधा', 'channel')).toBe('cafe-creme-अनुराधा');
  expect(slugOf('\u{1F600}!', 'channel')).toBe('channel');
  expect(uniqueSlug('a', new Set(['a', 'a-2']))).toBe('a-3');
});

test('a key of digits is looked up as an id before a slug', () => {
  const records = [
    { id: 1, slug: '2' },
    { id: 2, slug: 'two' },
    { id: 3, slug: '2026' },
  ];
  expect(findByIdOrSlug(records, '2')?.id).toBe(2);
  expect(findByIdOrSlug(records, '2026')?.id).toBe(3);
  expect(findByIdOrSlug(records, 'two')?.id).toBe(2);
  expect(findByIdOrSlug(records, 'three')).toBeUndefined();
});

test('random numbers repeat for identical parts, differ for others, and fill their range', () => {
  const ten = (...parts: string[]) => {
    const random = createRandom(...parts);
    return Array.from({ length: 10 }, () => random.next());
  };
  expect(ten('a', 'b')).toEqual(ten('a', 'b'));
  expect(ten('a', 'b')).not.toEqual(ten('a', 'c'));
  const random = createRandom('range');
  const drawn = Array.from({ length: 6000 }, () => random.integer(1, 6));
  for (const face of [1, 2, 3, 4, 5, 6]) {
    expect(drawn.filter((value) => value === face).length).toBeGreaterThan(800);
  }
  expect(() => random.pick([])).toThrow(RangeError);
  expect(hash('a', 1)).not.toBe(hash('a', 2));
});
