import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPathSegment } from '../../../src/contract/schemas/input-fields.ts';
import { createRandom, hash } from '../../../src/sandbox/seed/random.ts';
import { findByIdOrSlug, Records, slugOf, timeOf, uniqueSlug } from '../../../src/sandbox/state/collections.ts';
import { decimal, isPositive, normalPrice } from '../../../src/sandbox/state/orders.ts';
import { makeAcademy } from './make-academy.ts';

test.each([
  ['2026-02-28', '2026-02-28T00:00:00.000Z'],
  ['2026-02-28T09:30:00', '2026-02-28T09:30:00.000Z'],
  ['2026-02-28T09:30', '2026-02-28T09:30:00.000Z'],
  ['2026-02-28T09:30:00Z', '2026-02-28T09:30:00.000Z'],
  ['2026-02-28T09:30:00+02:00', '2026-02-28T07:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(timeOf(text)).toISOString()).toBe(expected);
});

test.each([
  ['49', '49.00'],
  ['49.9', '49.90'],
  ['0049.95', '49.95'],
  ['0', '0.00'],
])('the price %s is %s', (given, expected) => {
  expect(normalPrice(given)).toBe(expected);
});

test('cents convert to decimal strings', () => {
  fc.assert(
    fc.property(fc.nat(10_000_000), (cents) => {
      expect(Number(decimal(cents).replace('.', ''))).toBe(cents);
      expect(isPositive(decimal(cents))).toBe(cents > 0);
    }),
    { seed: 3 },
  );
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
  const records = new Records([
    { id: 1, slug: '2' },
    { id: 2, slug: 'two' },
    { id: 3, slug: '2026' },
  ]);
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

test('the times of seeded records have milliseconds, like later ones', () => {
  const { students, orders, answers, projectPosts, community } = makeAcademy();
  const posts = [...community.posts.values()].flatMap((timeline) => timeline.all());
  for (const rows of [students.all(), orders.all(), answers.all(), projectPosts.all(), posts]) {
    expect(rows.some(({ created_at }) => created_at % 1000 !== 0)).toBe(true);
  }
});
