import fc from 'fast-check';
import { expect, test } from 'vitest';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { checkChanges } from '../../../src/insights/outline/lesson-changes.ts';
import { outlineOf, targetOf } from '../../../src/insights/outline/target.ts';
import { refusal } from './thrown-error.ts';

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
  expect(target.lists).toEqual([first([4, 1, 3]), second([]), { module_id: null, lesson_ids: [2, 5] }]);
});

test('an outline that does not fit the course is refused with all its mistakes', () => {
  const modules = [first([1, 1, 9]), { module_id: 203, lesson_ids: [4] }, { module_id: 203, lesson_ids: [] }];
  const { code, message } = refusal(() => targetOf(course, { outline: { modules, ungrouped_lesson_ids: [5, 4] } }));
  expect(code).toBe('invalid_input');
  expect(message).toBe(
    'outline: unknown modules: 203; modules given twice: 203; unknown lessons: 9; lessons given twice: 1, 4; missing lessons: 2, 3',
  );
});

test('an outline with the modules in another order is refused, since they would stay where they are', () => {
  const outline = { modules: [second([4]), first([1, 2, 3])], ungrouped_lesson_ids: [5] };
  expect(refusal(() => targetOf(course, { outline })).message).toContain('their order is 201, 202');
});

test('moved lessons are at their positions, and the others keep their order around them', () => {
  const moves = [
    { lesson_id: 5, module_id: 201, position: 4 },
    { lesson_id: 3, module_id: 201, position: 1 },
    { lesson_id: 2, module_id: null, position: 1 },
    { lesson_id: 4, module_id: 201, position: 2 },
  ];
  const { lists } = targetOf(course, { moves });
  expect(lists).toEqual([first([3, 4, 1, 5]), second([]), { module_id: null, lesson_ids: [2] }]);
});

test('moves that exclude each other are refused by name', () => {
  const moves = [
    { lesson_id: 9, module_id: 204, position: 1 },
    { lesson_id: 1, module_id: 202, position: 1 },
    { lesson_id: 1, module_id: null, position: 1 },
    { lesson_id: 2, module_id: 202, position: 1 },
  ];
  expect(refusal(() => targetOf(course, { moves })).message).toBe(
    'moves: unknown modules: 204; unknown lessons: 9; lessons given twice: 1; places given twice: position 1 of module 202',
  );
});

test.each([0, 3, 1.5])(
  'position %s in a list that will have two lessons is refused with the largest valid one',
  (position) => {
    const moves = [{ lesson_id: 1, module_id: 202, position }];
    const { message } = refusal(() => targetOf(course, { moves }));
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
  expect(refusal(() => checkChanges(course, changes)).message).toBe(
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

test('moving every lesson to its place in an outline gives the target of the outline', () => {
  const moves = [5, 3, 1, 2].map((lesson_id, index) => ({ lesson_id, module_id: 202, position: index + 1 }));
  const outline = { modules: [second([5, 3, 1, 2, 4])], ungrouped_lesson_ids: [] };
  expect(targetOf(course, { moves })).toEqual(targetOf(course, { outline }));
});
