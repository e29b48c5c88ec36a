import { expect, test } from 'vitest';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { targetOf } from '../../../src/insights/outline/target.ts';
import { checkUndo, notRestorable, undoOf } from '../../../src/insights/outline/undo.ts';
import { refusal } from './thrown-error.ts';

const manyLessons = (count: number, title: string) =>
  structureOf({
    modules: [{ id: 1, lessons: Array.from({ length: count }, (_, at) => ({ id: 10_000_000 + at, title })) }],
  });

test('a course whose order alone leaves no room for its undo is refused, with the alternative', () => {
  const course = manyLessons(1_800, 'A');
  const { message, hint } = refusal(() => checkUndo(targetOf(course, {}), undoOf(course)));
  expect(message).toContain('too many lessons');
  expect(hint).toContain('update_lesson');
});

test('the stated number of lessons always fits, and one more does not', () => {
  const course = manyLessons(300, 'A'.repeat(255));
  const target = targetOf(course, {});
  const changesOf = (some: number) =>
    course.lists.flatMap(({ lessons }) => lessons.slice(-some).map(({ id }) => ({ lesson_id: id, title: 'New' })));
  const undoFor = (some: number) => undoOf(course, changesOf(some));
  const most = Number(/at most (\d+)/.exec(refusal(() => checkUndo(target, undoFor(300))).hint ?? '')?.[1]);
  expect(() => checkUndo(target, undoFor(most))).not.toThrow();
  expect(refusal(() => checkUndo(target, undoFor(most + 1))).code).toBe('invalid_input');
});

test('exactly the values that were not shown, and titles that cannot be written, are named as not restorable', () => {
  const course = structureOf({
    ungrouped_lessons: [
      { id: 1, title: 'One', is_published: true },
      { id: 2, title: ' ' },
      { id: 3, title: 'Three' },
    ],
  });
  const changes = [1, 2, 3].map((lesson_id) => ({ lesson_id, title: 'New', is_published: false }));
  expect(notRestorable(course, changes).map(({ id }) => id)).toEqual([2, 3]);
  expect(undoOf(course, changes).lessons).toEqual([
    { lesson_id: 1, title: 'One', is_published: true },
    { lesson_id: 3, title: 'Three' },
  ]);
});
