import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Course } from '../../../src/insights/outline/course.ts';
import { dueChanges } from '../../../src/insights/outline/lesson-changes.ts';
import { planWrites } from '../../../src/insights/outline/strategies.ts';
import type { Target } from '../../../src/insights/outline/target.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases } from './arbitrary.ts';
import { createModel } from './course-model.ts';

/** Enough for five lessons without a number above 4. */
const highest = 8;

/** Whether the numbers determine the order of each list, however the API orders duplicates; an untouched list always passes. */
function isProven(course: Course, target: Target, numbers: ReadonlyMap<number, number>): boolean {
  return target.lists.every(({ lesson_ids }, at) => {
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
function mustBeWritten(course: Course, { lists }: Target, due: ReadonlyMap<number, unknown>): number[] {
  return lists.flatMap(({ lesson_ids }, at) => {
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
  fc.assert(
    fc.property(cases(small), ({ start, target, changes }) => {
      const course = createModel(start).read();
      const writes = planWrites(course, target, changes);
      const must = mustBeWritten(course, target, dueChanges(course, changes));
      const ids = target.lists.flatMap(({ lesson_ids }) => lesson_ids);
      const smaller = writes.flatMap((_, size) => subsets(ids, size));
      expect(smaller.filter((some) => isReachedBySome(course, target, some, must))).toEqual([]);
    }),
    { numRuns: runsOf(10_000), seed: 7 },
  );
});
