import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concurrentEdits } from '../../../src/insights/outline/course-version.ts';
import { planWrites } from '../../../src/insights/outline/strategies.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases } from './arbitrary.ts';
import { createModel } from './course-model.ts';

const courses = { maxLessons: 10, moduleIds: [1, 2], highest: 12 };

/** Edits of a lesson by somebody else, all visible to students. */
const edits = fc.constantFrom<Record<string, unknown>[]>(
  { title: 'Theirs' },
  { is_published: 'turned' },
  { module_id: 3 },
);

test('an edit of a lesson that this call does not write is reported with the lesson', () => {
  fc.assert(
    fc.property(cases(courses), edits, fc.nat(), ({ start, target, changes }, edit, which) => {
      const api = createModel({ ...start, moduleIds: [1, 2, 3] });
      const before = api.read();
      const wanted = {
        lists: before.lists.map(
          ({ module_id }) => target.lists.find((list) => list.module_id === module_id) ?? { module_id, lesson_ids: [] },
        ),
      };
      const writes = planWrites(before, wanted, changes);
      const sent = new Set(writes.map(({ lesson_id }) => lesson_id));
      const others = start.lessons.filter(({ id }) => !sent.has(id));
      const theirs = others[which % Math.max(others.length, 1)];
      fc.pre(theirs !== undefined);
      for (const write of writes) api.write(write);
      const change = 'is_published' in edit ? { is_published: theirs?.is_published === false } : edit;
      api.write({ lesson_id: theirs?.id ?? 0, ...change });
      const told = concurrentEdits(before, api.read(), wanted, { sent, applied: sent });
      expect(told.join('; ')).toContain(`lesson ${theirs?.id} `);
    }),
    { numRuns: runsOf(3000), seed: 14 },
  );
});

const lesson = (id: number, sequence = id) => ({ id, title: `L${id}`, sequence, is_published: true });
const course = (...lists: ReturnType<typeof lesson>[][]) => ({
  lists: [1, 2, null].map((module_id, at) => ({ module_id, title: '', lessons: lists[at] ?? [] })),
});
const target = { lists: [1, 2, null].map((module_id) => ({ module_id, lesson_ids: module_id === 2 ? [1] : [2, 3] })) };

test('a lesson whose write has an unknown outcome may be at its old place or at its target', () => {
  const deeds = { sent: new Set([1]), applied: new Set<number>() };
  const before = course([lesson(1), lesson(2), lesson(3)]);
  const sent = course([lesson(2), lesson(3)], [lesson(1)]);
  const elsewhere = course([lesson(2), lesson(3)], [], [lesson(1)]);
  expect(concurrentEdits(before, before, target, deeds)).toEqual([]);
  expect(concurrentEdits(before, sent, target, deeds)).toEqual([]);
  expect(concurrentEdits(before, elsewhere, target, deeds)).toEqual([
    'lesson 1: was written into module 2, is in none',
  ]);
  expect(concurrentEdits(before, before, target, { ...deeds, applied: deeds.sent })).toEqual([
    'lesson 1: was written into module 2, is in 1',
  ]);
});

test('numbers that a write has shifted are no edit, another order of unwritten lessons is', () => {
  const deeds = { sent: new Set([1]), applied: new Set([1]) };
  const before = course([lesson(2, 0), lesson(3, 1)], [lesson(1)]);
  expect(concurrentEdits(before, course([lesson(2, 4), lesson(3, 5)], [lesson(1)]), target, deeds)).toEqual([]);
  expect(concurrentEdits(before, course([lesson(3, 1), lesson(2, 2)], [lesson(1)]), target, deeds)).toEqual([
    'Module 1: the order has changed',
  ]);
});
