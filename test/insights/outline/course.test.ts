import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Course, type Lesson, type List, structureOf } from '../../../src/insights/outline/course.ts';
import { differences, versionOf } from '../../../src/insights/outline/course-version.ts';
import { runsOf } from '../../support/long-form.ts';
import { refusal } from './thrown-error.ts';

test('fields that the API omits are missing, and there is always a list of lessons in no module', () => {
  expect(structureOf({})).toEqual({ lists: [{ module_id: null, title: '', lessons: [] }] });
  const { lists } = structureOf({ modules: [{ id: 201, lessons: [{ id: 1 }] }, { id: 202 }] });
  expect(lists.map(({ module_id, title, lessons }) => [module_id, title, lessons.map(({ id }) => id)])).toEqual([
    [201, '', [1]],
    [202, '', []],
    [null, '', []],
  ]);
});

test('lessons are ordered by their numbers, not by their order in the answer', () => {
  const { lists } = structureOf({
    ungrouped_lessons: [
      { id: 1, sequence: 9 },
      { id: 2, sequence: 3 },
    ],
  });
  expect(lists[0]?.lessons.map(({ id }) => id)).toEqual([2, 1]);
});

test.each([
  ['a lesson without id', { ungrouped_lessons: [{ title: 'Lost' }] }, 'a lesson without id ("Lost")'],
  ['a module without id', { modules: [{ lessons: [] }] }, 'a module without id'],
  [
    'a lesson twice',
    { modules: [{ id: 201, lessons: [{ id: 1 }] }], ungrouped_lessons: [{ id: 1 }] },
    'lesson 1 twice',
  ],
  ['a module twice', { modules: [{ id: 201 }, { id: 201 }] }, 'module 201 twice'],
])('a course with %s cannot be planned', (_name, answer, words) => {
  const { code, message } = refusal(() => structureOf(answer));
  expect(code).toBe('unexpected_response');
  expect(message).toContain(words);
});

const lessons: fc.Arbitrary<Lesson[]> = fc.uniqueArray(
  fc.record(
    {
      id: fc.integer({ min: 1, max: 3 }),
      title: fc.constantFrom('A', 'B'),
      sequence: fc.nat(1),
      is_published: fc.boolean(),
      release_day: fc.nat(1),
    },
    { requiredKeys: ['id'] },
  ),
  { selector: ({ id }) => id, maxLength: 3 },
);

/** Two modules and the lessons in none, after one edit or none. */
const edits: fc.Arbitrary<(lists: readonly List[]) => List[]> = fc.oneof(
  fc.constant((lists: readonly List[]) => [...lists]),
  fc.constant((lists: readonly List[]) => lists.toReversed()),
  fc.constant((lists: readonly List[]) => lists.slice(1)),
  fc.constant((lists: readonly List[]) => lists.map((list) => ({ ...list, title: 'C' }))),
  fc.constant((lists: readonly List[]) => lists.map((list) => ({ ...list, lessons: list.lessons.toReversed() }))),
  fc.constant((lists: readonly List[]) => lists.map((list) => ({ ...list, lessons: list.lessons.slice(1) }))),
  fc.constant((lists: readonly List[]) =>
    lists.map((list, index) => ({ ...list, lessons: lists[(index + 1) % lists.length]?.lessons ?? [] })),
  ),
  fc
    .constantFrom<Partial<Lesson>[]>({ title: 'A' }, { sequence: 1 }, { is_published: true }, { release_day: 1 })
    .map(
      (fields) => (lists: readonly List[]) =>
        lists.map((list) => ({ ...list, lessons: list.lessons.map((lesson) => ({ ...lesson, ...fields })) })),
    ),
);

test('two readings have the same version exactly if there is no difference', () => {
  fc.assert(
    fc.property(lessons, fc.nat(3), edits, edits, (all, split, one, other) => {
      const start: List[] = [
        { module_id: 201, title: '', lessons: all.slice(0, split) },
        { module_id: 202, title: '', lessons: all.slice(split) },
        { module_id: null, title: '', lessons: [] },
      ];
      const before: Course = { lists: one(start) };
      const after: Course = { lists: other(start) };
      expect(versionOf(before)).toMatch(/^[0-9a-f]{16}$/);
      expect(versionOf(before) === versionOf(after)).toBe(differences(before, after).length === 0);
    }),
    { numRuns: runsOf(5000), seed: 11 },
  );
});

test('a difference is reported once, in words', () => {
  const before = structureOf({
    modules: [
      { id: 201, title: 'First', lessons: [{ id: 1, title: 'One', sequence: 0 }, { id: 2 }, { id: 3 }] },
      { id: 202, title: 'Old' },
    ],
  });
  const after = structureOf({
    modules: [
      { id: 201, title: 'First', lessons: [{ id: 5 }, { id: 3 }, { id: 2 }] },
      { id: 203, title: 'New', lessons: [{ id: 1, title: 'Eins', sequence: 4, is_published: false }] },
    ],
  });
  expect(differences(before, after)).toEqual([
    'Module 201: First: the order has changed',
    'Module 202: Old: is gone',
    'Module 203: New: is new',
    'lesson 1 (One): module was 201, is 203',
    'lesson 1 (One): title was One, is Eins',
    'lesson 1 (One): sequence was 0, is 4',
    'lesson 1 (One): is_published was not shown, is false',
    'lesson 5: is new, in 201',
  ]);
  expect(differences(before, before)).toEqual([]);
});
