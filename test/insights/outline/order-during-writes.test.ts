import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Course } from '../../../src/insights/outline/course.ts';
import { planWrites } from '../../../src/insights/outline/strategies.ts';
import type { Target } from '../../../src/insights/outline/target.ts';
import { runsOf } from '../../support/long-form.ts';
import { cases } from './arbitrary.ts';
import { createModel } from './course-model.ts';

/** Pairs of lessons that students see in their final list, but in the wrong order. */
function wrongPairs(course: Course, { lists }: Target): string[] {
  return course.lists.flatMap(({ lessons }, at) => {
    const final = lists[at]?.lesson_ids ?? [];
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
  fc.assert(
    fc.property(cases(size), ({ start, target, changes }) => {
      const api = createModel(start);
      for (const write of planWrites(api.read(), target, changes)) {
        const before = wrongPairs(api.read(), target);
        api.write(write);
        expect(before).toEqual(expect.arrayContaining(wrongPairs(api.read(), target)));
      }
      expect(wrongPairs(api.read(), target)).toEqual([]);
    }),
    { numRuns: runsOf(10_000), seed: 8 },
  );
});

test('each lesson is written at most once, and only into its final list', () => {
  fc.assert(
    fc.property(cases(size), ({ start, target, changes }) => {
      const api = createModel(start);
      const writes = planWrites(api.read(), target, changes);
      expect(new Set(writes.map(({ lesson_id }) => lesson_id)).size).toBe(writes.length);
      for (const { lesson_id, module_id } of writes) {
        const goal = target.lists.find(({ lesson_ids }) => lesson_ids.includes(lesson_id));
        expect([undefined, goal?.module_id]).toContain(module_id);
      }
    }),
    { numRuns: runsOf(10_000), seed: 13 },
  );
});
