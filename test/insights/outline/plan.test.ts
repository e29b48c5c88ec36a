import { expect, test } from 'vitest';
import type { Course } from '../../../src/insights/outline/course.ts';
import { isTargetReached, planWrites, positionalWrites } from '../../../src/insights/outline/strategies.ts';
import { type Target, targetOf } from '../../../src/insights/outline/target.ts';
import { apply, createModel, type ModelLesson, meanings } from './course-model.ts';

/** Module 1 with lessons 1, 2, 3 …, which have these numbers in this order. */
function moduleOf(sequences: readonly (number | undefined)[]): Course {
  const lessons = sequences.map((sequence, index) => ({ id: index + 1, title: '', sequence, is_published: true }));
  return {
    lists: [
      { module_id: 1, title: '', lessons },
      { module_id: null, title: '', lessons: [] },
    ],
  };
}

const inModule = (lesson_ids: number[]): Target => ({
  lists: [
    { module_id: 1, lesson_ids },
    { module_id: null, lesson_ids: [] },
  ],
});

test('one lesson moved in a module with gaps is one write', () => {
  const course = moduleOf([10, 20, 30, 40]);
  const target = targetOf(course, { moves: [{ lesson_id: 4, module_id: 1, position: 2 }] });
  expect(planWrites(course, target)).toEqual([{ lesson_id: 4, sequence: 11 }]);
});

test.each([
  ['the last to the front of a gapless module', [0, 1, 2, 3], [4, 1, 2, 3], 3],
  ['the last to the front where the first number is 1', [1, 2, 3, 4], [4, 1, 2, 3], 1],
  ['the first to the end', [0, 1, 2, 3], [2, 3, 4, 1], 1],
  ['two neighbours', [5, 6, 8], [2, 1, 3], 1],
  ['all turned round', [0, 1, 2, 3], [4, 3, 2, 1], 3],
  ['twins, which do not stand side by side', [7, 7, 9], [3, 1, 2], 2],
  ['a lesson behind the largest number there is', [2_147_483_646, 2_147_483_647], [2, 1], 1],
  ['numbers below 0, which stand as long as they need not be given', [-5, -4, 0], [1, 3, 2], 1],
  ['a lesson without a number', [1, undefined, 5], [2, 1, 3], 1],
])('%s', (_name, sequences, ids, count) => {
  expect(planWrites(moduleOf(sequences), inModule(ids))).toHaveLength(count);
});

test('a list that only loses a lesson is not written, whatever its numbers are', () => {
  const course = moduleOf([7, 7, undefined, 7]);
  const target = targetOf(course, { moves: [{ lesson_id: 2, module_id: null, position: 1 }] });
  expect(planWrites(course, target)).toEqual([{ lesson_id: 2, module_id: null, sequence: 0 }]);
});

test('lessons without a number are last and get numbers from the front, so that none passes another', () => {
  const lesson = (id: number, sequence?: number) => ({ id, title: '', sequence, is_published: true });
  const course = {
    lists: [
      { module_id: 1, title: '', lessons: [lesson(1, 10), lesson(2), lesson(3)] },
      { module_id: null, title: '', lessons: [lesson(4, 0)] },
    ],
  };
  const ids = planWrites(course, inModule([1, 2, 3, 4])).map(({ lesson_id }) => lesson_id);
  expect(ids).toEqual([2, 3, 4]);
});

test('a change of a lesson is part of its move, and lessons that are written anyway are preferred for moves', () => {
  const course = moduleOf([1, 2]);
  for (const lesson_id of [1, 2]) {
    const writes = planWrites(course, inModule([2, 1]), [{ lesson_id, title: 'New' }]);
    expect(writes).toHaveLength(1);
    expect(writes[0]).toMatchObject({ lesson_id, title: 'New' });
    expect(positionalWrites(course, inModule([2, 1]), [{ lesson_id, title: 'New' }])).toHaveLength(1);
  }
});

test('lessons to hide are written first, lessons to publish last', () => {
  const course = moduleOf([0, 1, 2]);
  const hidden = {
    lists: course.lists.map((list) => ({
      ...list,
      lessons: list.lessons.map((lesson) => ({ ...lesson, is_published: lesson.id !== 2 })),
    })),
  };
  const changes = [
    { lesson_id: 2, is_published: true },
    { lesson_id: 3, is_published: false },
  ];
  for (const pass of [planWrites, positionalWrites]) {
    const writes = pass(hidden, inModule([2, 3, 1]), changes);
    expect(writes[0]).toMatchObject({ lesson_id: 3, is_published: false });
    expect(writes.at(-1)).toMatchObject({ lesson_id: 2, is_published: true });
  }
});

test.each(meanings)('forty shuffled lessons are brought into order, with sequence as %s', (meaning) => {
  const lessons = Array.from({ length: 40 }, (_, index): ModelLesson => {
    const module_id = [1, 2, null][index % 3] ?? null;
    return { id: index + 1, module_id, title: `L${index}`, sequence: (index * 7) % 40, is_published: true };
  });
  const shuffled = lessons.map(({ id }) => id).toSorted((one, other) => ((one * 17) % 41) - ((other * 17) % 41));
  const target: Target = {
    lists: [1, 2, null].map((module_id, index) => ({
      module_id,
      lesson_ids: shuffled.slice(index * 14, index * 14 + 14),
    })),
  };
  const api = createModel({ moduleIds: [1, 2], lessons, meaning, newestFirst: false });
  const sent = apply(api, target);
  expect(isTargetReached(api.read(), target)).toBe(true);
  expect(sent.length).toBeLessThanOrEqual(meaning === 'absolute' ? 40 : 120);
});
