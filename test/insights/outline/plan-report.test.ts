import fc from 'fast-check';
import { expect, test } from 'vitest';
import { treeLines } from '../../../src/insights/outline/before-after-text.ts';
import { structureOf } from '../../../src/insights/outline/course.ts';
import { changesOf, warningsOf } from '../../../src/insights/outline/plan-report.ts';
import { planWrites } from '../../../src/insights/outline/strategies.ts';
import { targetOf } from '../../../src/insights/outline/target.ts';
import { undoOf } from '../../../src/insights/outline/undo.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases } from './arbitrary.ts';
import { createModel } from './course-model.ts';

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
const writes = planWrites(course, target, changes);

test('each lesson that is written is reported with its old and its new place', () => {
  expect(changesOf(course, target, writes)).toEqual([
    {
      lesson_id: 1,
      title: 'One',
      from: { module_id: 201, position: 1, sequence: 0 },
      to: { module_id: 201, position: 1, sequence: 0, title: 'Eins' },
    },
    {
      lesson_id: 3,
      title: 'Three',
      from: { module_id: 202, position: 1, sequence: 7 },
      to: { module_id: 201, position: 2, sequence: 1 },
    },
  ]);
});

test('there is an entry for each write, and one for each lesson', () => {
  fc.assert(
    fc.property(
      cases({ maxLessons: 8, moduleIds: [1, 2], highest: 9 }),
      ({ start, target: wanted, changes: given }) => {
        const before = createModel(start).read();
        const sent = planWrites(before, wanted, given);
        const told = changesOf(before, wanted, sent).map(({ lesson_id }) => lesson_id);
        expect(told).toEqual(sent.map(({ lesson_id }) => lesson_id));
        expect(new Set(told).size).toBe(told.length);
      },
    ),
    { numRuns: runsOf(5000), seed: 12 },
  );
});

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

test('a title cannot look like another line of the tree', () => {
  const sly = structureOf({
    modules: [{ id: 201, title: 'A\n  after', lessons: [{ id: 1, title: 'B\n    2. 9 C' }] }],
  });
  const empty = targetOf(sly, { moves: [{ lesson_id: 1, module_id: null, position: 1 }] });
  expect(treeLines(sly, empty)).toHaveLength(10);
});

test('undo has the old order and, of the lessons, only the old values that change and are known', () => {
  const given = [
    { lesson_id: 1, title: 'Eins', is_published: true },
    { lesson_id: 2, is_published: true },
    { lesson_id: 4, title: 'Vier' },
  ];
  expect(undoOf(course, given)).toEqual({
    outline: {
      modules: [
        { module_id: 201, lesson_ids: [1, 2] },
        { module_id: 202, lesson_ids: [3, 4] },
        { module_id: 203, lesson_ids: [] },
      ],
      ungrouped_lesson_ids: [],
    },
    lessons: [
      { lesson_id: 1, title: 'One' },
      { lesson_id: 2, is_published: false },
    ],
  });
});

test('a warning names published lessons that move, but not lessons that only get a title', () => {
  expect(warningsOf(course, target, writes)).toEqual([
    '1 published lesson moves, and students see it at once: 3 Three',
    'a lesson keeps its release day when it moves; the API does not show which lessons have one',
    'if the API shifts other lessons when it places one, this takes more requests than stated here',
  ]);
  const stays = targetOf(course, { moves: [] });
  expect(warningsOf(course, stays, planWrites(course, stays, changes))).toEqual([]);
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
