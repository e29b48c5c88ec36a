import { expect, test } from 'vitest';
import { type Course, structureOf } from '../../../src/insights/outline/course.ts';
import { concurrentEdits } from '../../../src/insights/outline/course-version.ts';
import { dueChanges } from '../../../src/insights/outline/lesson-changes.ts';
import { treeLines, warningsOf } from '../../../src/insights/outline/plan-report.ts';
import { planWrites, positionalWrites } from '../../../src/insights/outline/strategies.ts';
import { type Target, targetOf } from '../../../src/insights/outline/target.ts';
import { createModel, forCases } from './course-model.ts';

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

const inModule = (lesson_ids: number[]): Target => [
  { module_id: 1, lesson_ids },
  { module_id: null, lesson_ids: [] },
];

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

/** Pairs of lessons that students see in their final list, but in the wrong order. */
function wrongPairs(course: Course, target: Target): string[] {
  return course.lists.flatMap(({ lessons }, at) => {
    const final = target[at]?.lesson_ids ?? [];
    const seen = lessons
      .filter(({ is_published }) => is_published === true)
      .map(({ id }) => final.indexOf(id))
      .filter((rank) => rank >= 0);
    return seen.flatMap((rank, index) =>
      seen.slice(index + 1).flatMap((later) => (later < rank ? [`${final[rank]} before ${final[later]}`] : [])),
    );
  });
}

const size = { maxLessons: 10, moduleIds: [1, 2], highest: 12, meanings: ['absolute'] as const };

test('no write puts two lessons into the wrong order that were in the right one', () => {
  forCases(size, 8, ({ start, target, changes }) => {
    const api = createModel(start);
    for (const write of planWrites(api.read(), target, changes)) {
      const before = wrongPairs(api.read(), target);
      api.write(write);
      expect(before).toEqual(expect.arrayContaining(wrongPairs(api.read(), target)));
    }
    expect(wrongPairs(api.read(), target)).toEqual([]);
  });
});

test('each lesson is written at most once, and only into its final list', () => {
  forCases(size, 13, ({ start, target, changes }) => {
    const api = createModel(start);
    const writes = planWrites(api.read(), target, changes);
    expect(new Set(writes.map(({ lesson_id }) => lesson_id)).size).toBe(writes.length);
    for (const { lesson_id, module_id } of writes) {
      const goal = target.find(({ lesson_ids }) => lesson_ids.includes(lesson_id));
      expect([undefined, goal?.module_id]).toContain(module_id);
    }
  });
});

/** Enough for five lessons without a number above 4. */
const highest = 8;

/** Whether the numbers determine the order of each list, however the API orders duplicates; an untouched list always passes. */
function isProven(course: Course, target: Target, numbers: ReadonlyMap<number, number>): boolean {
  return target.every(({ lesson_ids }, at) => {
    const before = course.lists[at]?.lessons ?? [];
    const stayed = before.filter(({ id }) => lesson_ids.includes(id)).map(({ id }) => id);
    if (stayed.join() === lesson_ids.join() && !lesson_ids.some((id) => numbers.has(id))) return true;
    const present = new Map(before.map(({ id, sequence }) => [id, sequence]));
    const inOrder = lesson_ids.map((id) => numbers.get(id) ?? present.get(id) ?? Number.NaN);
    return inOrder.every((number, index) => index === 0 || number > (inOrder[index - 1] ?? number));
  });
}

/** Every combination of writes of these lessons, each with a number or without. */
function* numberings(ids: readonly number[]): Generator<Map<number, number>> {
  const [first, ...rest] = ids;
  if (first === undefined) {
    yield new Map();
    return;
  }
  for (const numbers of numberings(rest)) {
    yield numbers;
    for (let number = 0; number <= highest; number += 1) yield new Map([...numbers, [first, number]]);
  }
}

function subsets(ids: readonly number[], size: number): number[][] {
  const [first, ...rest] = ids;
  if (size === 0) return [[]];
  if (first === undefined) return [];
  return [...subsets(rest, size - 1).map((others) => [first, ...others]), ...subsets(rest, size)];
}

/** Lessons that every plan must write: they change their module, title or publication. */
function mustBeWritten(course: Course, target: Target, due: ReadonlyMap<number, unknown>): number[] {
  return target.flatMap(({ lesson_ids }, at) => {
    const before = course.lists[at]?.lessons.map(({ id }) => id) ?? [];
    return lesson_ids.filter((id) => due.has(id) || !before.includes(id));
  });
}

function isReachedBySome(course: Course, target: Target, ids: readonly number[], must: readonly number[]): boolean {
  if (!must.every((id) => ids.includes(id))) return false;
  for (const numbers of numberings(ids)) if (isProven(course, target, numbers)) return true;
  return false;
}

test('no plan with fewer writes reaches the target: all are tried', () => {
  const small = { maxLessons: 5, moduleIds: [1, 2], highest: 4 };
  forCases(small, 7, ({ start, target, changes }) => {
    const course = createModel(start).read();
    const writes = planWrites(course, target, changes);
    const must = mustBeWritten(course, target, dueChanges(course, changes));
    const ids = target.flatMap(({ lesson_ids }) => lesson_ids);
    const smaller = writes.flatMap((_, size) => subsets(ids, size));
    expect(smaller.filter((some) => isReachedBySome(course, target, some, must))).toEqual([]);
  });
});

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
  expect(treeLines({ course, target, changes, writes: [] })).toEqual([
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
  const [, days] = warningsOf({ course: timed, target: turned, changes: [], writes: [{ lesson_id: 2, sequence: 0 }] });
  expect(turned[0]?.lesson_ids).toEqual([2, 1]);
  expect(days).toBe('lessons that keep their release day when they move: 2 (day 7)');
});

const lesson = (id: number, sequence = id) => ({ id, title: `L${id}`, sequence, is_published: true });
const lists = (...lists: ReturnType<typeof lesson>[][]) => ({
  lists: [1, 2, null].map((module_id, at) => ({ module_id, title: '', lessons: lists[at] ?? [] })),
});
const goal = [1, 2, null].map((module_id) => ({ module_id, lesson_ids: module_id === 2 ? [1] : [2, 3] }));

test('a lesson whose write has an unknown outcome may be at its old place or at its target', () => {
  const unsure = new Map([[1, false]]);
  const before = lists([lesson(1), lesson(2), lesson(3)]);
  const sent = lists([lesson(2), lesson(3)], [lesson(1)]);
  const elsewhere = lists([lesson(2), lesson(3)], [], [lesson(1)]);
  expect(concurrentEdits(before, before, goal, unsure)).toEqual([]);
  expect(concurrentEdits(before, sent, goal, unsure)).toEqual([]);
  expect(concurrentEdits(before, elsewhere, goal, unsure)).toEqual(['lesson 1: was written into module 2, is in none']);
  expect(concurrentEdits(before, before, goal, new Map([[1, true]]))).toEqual([
    'lesson 1: was written into module 2, is in 1',
  ]);
});
