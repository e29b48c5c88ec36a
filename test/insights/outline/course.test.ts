import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Course, type Lesson, type List, structureOf } from '../../../src/insights/outline/course.ts';
import { differences, versionOf } from '../../../src/insights/outline/course-version.ts';
import { checkChanges, checkUndo, undoOf } from '../../../src/insights/outline/lesson-changes.ts';
import { outlineOf, targetOf } from '../../../src/insights/outline/target.ts';
import { runsOf } from '../../support/long-form.ts';
import { thrownBy } from '../../support/refusal.ts';

test('fields that the API omits are missing, and there is always a list of lessons in no module', () => {
  expect(structureOf({})).toEqual({ lists: [{ module_id: null, title: '', lessons: [] }] });
  const { lists } = structureOf({ modules: [{ id: 201, lessons: [{ id: 1 }] }, { id: 202 }] });
  expect(lists.map(({ module_id, title, lessons }) => [module_id, title, lessons.map(({ id }) => id)])).toEqual([
    [201, '', [1]],
    [202, '', []],
    [null, '', []],
  ]);
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
  const { code, message } = thrownBy(() => structureOf(answer));
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

const course = structureOf({
  modules: [
    { id: 201, title: 'First', lessons: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    { id: 202, title: 'Second', lessons: [{ id: 4 }] },
  ],
  ungrouped_lessons: [{ id: 5 }],
});

const first = (lesson_ids: number[]) => ({ module_id: 201, lesson_ids });
const second = (lesson_ids: number[]) => ({ module_id: 202, lesson_ids });

test('an outline is the target, and a module that it omits becomes empty', () => {
  const target = targetOf(course, { outline: { modules: [first([4, 1, 3])], ungrouped_lesson_ids: [2, 5] } });
  expect(target).toEqual([first([4, 1, 3]), second([]), { module_id: null, lesson_ids: [2, 5] }]);
});

test('an outline with the modules in another order is refused, since they would stay where they are', () => {
  const outline = { modules: [second([4]), first([1, 2, 3])], ungrouped_lesson_ids: [5] };
  expect(thrownBy(() => targetOf(course, { outline })).message).toContain('their order is 201, 202');
});

test('moved lessons are at their positions, and the others keep their order around them', () => {
  const moves = [
    { lesson_id: 5, module_id: 201, position: 4 },
    { lesson_id: 3, module_id: 201, position: 1 },
    { lesson_id: 2, module_id: null, position: 1 },
    { lesson_id: 4, module_id: 201, position: 2 },
  ];
  expect(targetOf(course, { moves })).toEqual([first([3, 4, 1, 5]), second([]), { module_id: null, lesson_ids: [2] }]);
});

test('moves that exclude each other are refused by name', () => {
  const moves = [
    { lesson_id: 9, module_id: 204, position: 1 },
    { lesson_id: 1, module_id: 202, position: 1 },
    { lesson_id: 1, module_id: null, position: 1 },
    { lesson_id: 2, module_id: 202, position: 1 },
  ];
  expect(thrownBy(() => targetOf(course, { moves })).message).toBe(
    'moves: unknown modules: 204; unknown lessons: 9; lessons given twice: 1; places given twice: position 1 of module 202',
  );
});

test.each([0, 3, 1.5])(
  'position %s in a list that will have two lessons is refused with the largest valid one',
  (position) => {
    const moves = [{ lesson_id: 1, module_id: 202, position }];
    const { message } = thrownBy(() => targetOf(course, { moves }));
    expect(message).toBe(`moves: valid positions are 1 to 2: lesson 1 to position ${position} of module 202`);
  },
);

test('changes of lessons that are unknown, given twice or empty are refused', () => {
  const changes = [
    { lesson_id: 9, title: 'A' },
    { lesson_id: 1, title: 'A' },
    { lesson_id: 1, is_published: true },
    { lesson_id: 2 },
  ];
  expect(thrownBy(() => checkChanges(course, changes)).message).toBe(
    'lessons: unknown lessons: 9; lessons given twice: 1; neither title nor is_published given: 2',
  );
});

test('every target can be written as an outline', () => {
  const orders = fc.shuffledSubarray([1, 2, 3, 4, 5], { minLength: 5 });
  fc.assert(
    fc.property(orders, fc.nat(5), fc.nat(5), (ids, one, other) => {
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const outline = {
        modules: [first(ids.slice(0, from)), second(ids.slice(from, to))],
        ungrouped_lesson_ids: ids.slice(to),
      };
      expect(outlineOf(targetOf(course, { outline }))).toEqual(outline);
    }),
    { seed: 10 },
  );
});

const manyLessons = (count: number, title: string) =>
  structureOf({
    modules: [{ id: 1, lessons: Array.from({ length: count }, (_, at) => ({ id: 10_000_000 + at, title })) }],
  });

test('a course whose order alone leaves no room for its undo is refused, with the alternative', () => {
  const course = manyLessons(1_800, 'A');
  const { message, hint } = thrownBy(() => checkUndo(targetOf(course, {}), undoOf(course)));
  expect(message).toContain('too many lessons');
  expect(hint).toContain('update_lesson');
});
