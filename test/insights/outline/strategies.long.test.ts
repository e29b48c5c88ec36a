import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkChanges, undoOf } from '../../../src/insights/outline/lesson-changes.ts';
import {
  isTargetReached,
  planWrites,
  positionalWrites,
  renumberWrites,
} from '../../../src/insights/outline/strategies.ts';
import { currentTarget, outlineOf, targetOf } from '../../../src/insights/outline/target.ts';
import { runsOf } from '../../support/long-form.ts';
import { apply, cases, createModel, Fault, failingAfter, forCases, readings } from './course-model.ts';

const courses = { maxLessons: 12, moduleIds: [1, 2], highest: 15 };

/** A course as students see it: everything except the numbers. */
function shown(course: ReturnType<ReturnType<typeof createModel>['read']>) {
  return course.lists.map(({ lessons }) => lessons.map(({ id, title, is_published }) => [id, title, is_published]));
}

test.each(readings)('every course reaches every target if sequence is %s', (_name, meanings) => {
  forCases({ ...courses, meanings }, 1, ({ start, target, changes }) => {
    const api = createModel(start);
    const sent = apply(api, target, changes);
    expect(isTargetReached(api.read(), target, changes)).toBe(true);
    const numbers = sent.flatMap(({ sequence }) => sequence ?? []);
    expect(numbers.filter((number) => number < 0 || number > 2_147_483_647)).toEqual([]);
  });
});

test('one pass is enough if sequence is a number, and two if it is a place from 0', () => {
  forCases(courses, 2, ({ start, target, changes }) => {
    for (const [meaning, pass] of [
      ['absolute', planWrites],
      ['places from 0', positionalWrites],
    ] as const) {
      const api = createModel({ ...start, meaning });
      for (const write of pass(api.read(), target, changes)) api.write(write);
      expect(isTargetReached(api.read(), target, changes)).toBe(true);
    }
  });
});

test('renumbering is enough whatever sequence means', () => {
  forCases(courses, 3, ({ start, target, changes }) => {
    const api = createModel(start);
    for (const write of renumberWrites(api.read(), target, changes)) api.write(write);
    expect(isTargetReached(api.read(), target, changes)).toBe(true);
  });
});

test.each(readings)(
  'after a fault at any request, a second call reaches the target if sequence is %s',
  (_name, meanings) => {
    fc.assert(
      fc.property(
        cases({ ...courses, meanings }),
        fc.nat(26),
        fc.boolean(),
        ({ start, target, changes }, most, isDone) => {
          const api = createModel(start);
          try {
            apply(failingAfter(api, most, isDone), target, changes);
          } catch (error) {
            if (!(error instanceof Fault)) throw error;
          }
          const again = api.read();
          apply(api, targetOf(again, { outline: outlineOf(target) }), changes);
          expect(isTargetReached(api.read(), target, changes)).toBe(true);
        },
      ),
      { numRuns: runsOf(10_000), seed: 4 },
    );
  },
);

test.each(readings)('undo restores the start, also after a fault, if sequence is %s', (_name, meanings) => {
  fc.assert(
    fc.property(cases({ ...courses, meanings }), fc.nat(40), ({ start, target, changes }, most) => {
      const api = createModel(start);
      const before = api.read();
      const undo = undoOf(before, changes);
      try {
        apply(failingAfter(api, most, true), target, changes);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
      const present = api.read();
      checkChanges(present, undo.lessons);
      apply(api, targetOf(present, undo), undo.lessons);
      expect(shown(api.read())).toEqual(shown(before));
    }),
    { numRuns: runsOf(10_000), seed: 5 },
  );
});

test('nothing is written if the course matches its target, even with identical numbers', () => {
  forCases(courses, 6, ({ start, target, changes }) => {
    const api = createModel(start);
    const course = api.read();
    for (const pass of [planWrites, positionalWrites, renumberWrites]) {
      expect(pass(course, currentTarget(course))).toEqual([]);
      expect(pass(course, target, changes).length === 0).toBe(isTargetReached(course, target, changes));
    }
  });
});

test('if the API ignores sequence the passes end, and the target is not reached', () => {
  const lessons = [1, 2, 3].map((id) => ({ id, module_id: 1, title: `L${id}`, sequence: id, is_published: true }));
  const target = [1, null].map((module_id) => ({ module_id, lesson_ids: module_id === 1 ? [3, 2, 1] : [] }));
  const model = createModel({ moduleIds: [1], lessons, meaning: 'absolute', newestFirst: false });
  const deaf = { ...model, write: () => undefined };
  expect(apply(deaf, target)).toHaveLength(2 + 2 + 3);
  expect(isTargetReached(deaf.read(), target)).toBe(false);
});

test('a lesson that was added or removed since the target was made is not written, and the target counts as not reached', () => {
  const lessons = [1, 2, 4].map((id) => ({ id, module_id: 1, title: `L${id}`, sequence: id, is_published: true }));
  const target = [1, null].map((module_id) => ({ module_id, lesson_ids: module_id === 1 ? [3, 2, 1] : [] }));
  const changes = [{ lesson_id: 3, title: 'gone' }];
  const model = createModel({ moduleIds: [1], lessons, meaning: 'absolute', newestFirst: false });
  expect(apply(model, target, changes).map(({ lesson_id }) => lesson_id)).not.toContain(3);
  expect(isTargetReached(model.read(), target)).toBe(false);
});
