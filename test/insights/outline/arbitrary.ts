import fc from 'fast-check';
import type { LessonChange } from '../../../src/insights/outline/lesson-changes.ts';
import type { Target } from '../../../src/insights/outline/target.ts';
import { type Meaning, type ModelCourse, type ModelLesson, meanings } from './course-model.ts';

export interface Case {
  readonly start: ModelCourse;
  readonly target: Target;
  readonly changes: readonly LessonChange[];
}

/** The possible meanings of `sequence` in the document; a place counts from 0 or from 1. */
export const readings: readonly (readonly [name: string, meanings: readonly Meaning[]])[] = [
  ['a number', ['absolute']],
  ['a place', ['places from 0', 'places from 1']],
];

interface Size {
  readonly maxLessons: number;
  readonly moduleIds: readonly number[];
  readonly highest: number;
  readonly meanings?: readonly Meaning[];
}

/** Numbers from a small range, with gaps and duplicates, and sometimes the smallest or largest allowed one. */
const numbers = (highest: number) =>
  fc.oneof({ weight: 30, arbitrary: fc.nat(highest) }, { weight: 1, arbitrary: fc.constantFrom(-3, 2_147_483_647) });

function lessonsOf({ maxLessons, moduleIds, highest }: Size): fc.Arbitrary<ModelLesson[]> {
  const lesson = fc.record({
    module_id: fc.constantFrom(...moduleIds, null),
    sequence: numbers(highest),
    is_published: fc.boolean(),
  });
  return fc
    .array(lesson, { maxLength: maxLessons })
    .map((lessons) => lessons.map((fields, index) => ({ id: index + 1, title: `L${index + 1}`, ...fields })));
}

/** Some lessons moved to other places, or all shuffled. */
function targetsOf(lessons: readonly ModelLesson[], moduleIds: readonly number[]): fc.Arbitrary<Target> {
  const lists = [...moduleIds, null];
  const inOrder = lessons.toSorted((one, other) => one.sequence - other.sequence || one.id - other.id);
  const draws = fc.array(fc.record({ moves: fc.nat(3), list: fc.nat(lists.length - 1), rank: fc.nat(1000) }), {
    minLength: lessons.length,
    maxLength: lessons.length,
  });
  return fc.tuple(fc.boolean(), draws).map(([isShuffled, drawn]) => {
    const placed = inOrder.map((lesson, index) => {
      const { moves = 0, list = 0, rank = 0 } = drawn[index] ?? {};
      const isMoved = isShuffled || moves === 0;
      return {
        id: lesson.id,
        module_id: isMoved ? (lists[list] ?? null) : lesson.module_id,
        rank: isMoved ? rank : index * 50,
      };
    });
    placed.sort((one, other) => one.rank - other.rank);
    const idsIn = (id: number | null) => placed.filter(({ module_id }) => module_id === id).map((lesson) => lesson.id);
    return { lists: lists.map((module_id) => ({ module_id, lesson_ids: idsIn(module_id) })) };
  });
}

function changesOf(lessons: readonly ModelLesson[]): fc.Arbitrary<LessonChange[]> {
  if (lessons.length === 0) return fc.constant([]);
  const change = fc.record(
    {
      lesson_id: fc.constantFrom(...lessons.map(({ id }) => id)),
      title: fc.constantFrom('L1', 'new'),
      is_published: fc.boolean(),
    },
    { requiredKeys: ['lesson_id'] },
  );
  return fc.uniqueArray(change, { maxLength: 3, selector: ({ lesson_id }) => lesson_id });
}

/** A course, the meaning of `sequence` there, and its target. */
export function cases(size: Size): fc.Arbitrary<Case> {
  const { moduleIds } = size;
  return lessonsOf(size).chain((lessons) =>
    fc.record({
      start: fc.record({
        moduleIds: fc.constant(moduleIds),
        lessons: fc.constant(lessons),
        meaning: fc.constantFrom(...(size.meanings ?? meanings)),
        newestFirst: fc.boolean(),
      }),
      target: targetsOf(lessons, moduleIds),
      changes: changesOf(lessons),
    }),
  );
}
