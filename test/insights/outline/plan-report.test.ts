import fc from 'fast-check';
import { expect, test } from 'vitest';
import { treeLines } from '../../../src/insights/outline/before-after-text.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { concurrentEdits } from '../../../src/insights/outline/course-version.ts';
import { warningsOf } from '../../../src/insights/outline/plan-report.ts';
import { planWrites } from '../../../src/insights/outline/strategies.ts';
import { targetOf } from '../../../src/insights/outline/target.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases, createModel } from './course-model.ts';

const course = structureOf({
  modules: [
    {
      id: 201,
      title: 'First',
      lessons: [
        { id: 1, title: 'One', sequence: 0, is_published: true },
        { id: 2, title: 'Two', sequence: 5, is_published: false },
      ],
    },
    { id: 202, title: 'Second', lessons: [{ id: 3, title: 'Three', sequence: 7, is_published: true }, { id: 4 }] },
    { id: 203, title: 'Third' },
  ],
});
const target = targetOf(course, { moves: [{ lesson_id: 3, module_id: 201, position: 2 }] });
const changes = [{ lesson_id: 1, title: 'Eins' }];

test('the tree shows changed lists before and after, and each other list as one line', () => {
  expect(treeLines(course, target, changes)).toEqual([
    'Module 201: First',
    '  before',
    '    1. 1 One',
    '    2. 2 (unpublished) Two',
    '  after',
    '    1. 1 Eins',
    '    2. 3 Three <- module 202, 1',
    '    3. 2 (unpublished) Two',
    'Module 202: Second',
    '  before',
    '    1. 3 Three',
    '    2. 4',
    '  after',
    '    1. 4',
    'Module 203: Third: unchanged (0 lessons)',
    'In no module: unchanged (0 lessons)',
  ]);
});

test('a release day is named if the API shows it', () => {
  const timed = structureOf({
    ungrouped_lessons: [
      { id: 1, sequence: 0 },
      { id: 2, sequence: 1, ...{ release_day: 7 } },
    ],
  });
  const turned = targetOf(timed, { moves: [{ lesson_id: 2, module_id: null, position: 1 }] });
  const [, days] = warningsOf(timed, turned, [{ lesson_id: 2, sequence: 0 }]);
  expect(turned.lists[0]?.lesson_ids).toEqual([2, 1]);
  expect(days).toBe('lessons that keep their release day when they move: 2 (day 7)');
});

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
const lists = (...lists: ReturnType<typeof lesson>[][]) => ({
  lists: [1, 2, null].map((module_id, at) => ({ module_id, title: '', lessons: lists[at] ?? [] })),
});
const goal = { lists: [1, 2, null].map((module_id) => ({ module_id, lesson_ids: module_id === 2 ? [1] : [2, 3] })) };

test('a lesson whose write has an unknown outcome may be at its old place or at its target', () => {
  const deeds = { sent: new Set([1]), applied: new Set<number>() };
  const before = lists([lesson(1), lesson(2), lesson(3)]);
  const sent = lists([lesson(2), lesson(3)], [lesson(1)]);
  const elsewhere = lists([lesson(2), lesson(3)], [], [lesson(1)]);
  expect(concurrentEdits(before, before, goal, deeds)).toEqual([]);
  expect(concurrentEdits(before, sent, goal, deeds)).toEqual([]);
  expect(concurrentEdits(before, elsewhere, goal, deeds)).toEqual(['lesson 1: was written into module 2, is in none']);
  expect(concurrentEdits(before, before, goal, { ...deeds, applied: deeds.sent })).toEqual([
    'lesson 1: was written into module 2, is in 1',
  ]);
});
