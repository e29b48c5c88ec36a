import fc from 'fast-check';
import { type Course, structureOf } from '../../../src/insights/outline/course.ts';
import { concurrentEdits } from '../../../src/insights/outline/course-version.ts';
import type { LessonChange, Write } from '../../../src/insights/outline/lesson-changes.ts';
import { isTargetReached, strategies } from '../../../src/insights/outline/strategies.ts';
import type { Target } from '../../../src/insights/outline/target.ts';
import type { ServedLesson } from '../../support/course-server.ts';
import { runsOf } from '../../support/long-form.ts';

/** The meaning of a written sequence: the number itself, or a place that shifts the others. */
export const meanings = ['absolute', 'places from 0', 'places from 1'] as const;
export type Meaning = (typeof meanings)[number];

export interface ModelApi {
  read(): Course;
  write(write: Write): void;
}

export interface ModelCourse {
  readonly moduleIds: readonly number[];
  readonly lessons: readonly ServedLesson[];
  readonly meaning: Meaning;
  /** The document does not say which of two lessons with the same number comes first. */
  readonly newestFirst: boolean;
}

/** A minimal API with a chosen meaning of `sequence`. */
export function createModel({ moduleIds, lessons, meaning, newestFirst }: ModelCourse): ModelApi {
  const rows = lessons.map((lesson) => ({ ...lesson }));
  const listOf = (moduleId: number | null) =>
    rows
      .filter(({ module_id }) => module_id === moduleId)
      .sort((one, other) => one.sequence - other.sequence || (newestFirst ? other.id - one.id : one.id - other.id));

  function push(lesson: ServedLesson, sequence: number): void {
    const first = meaning === 'places from 1' ? 1 : 0;
    const others = listOf(lesson.module_id).filter((other) => other !== lesson);
    others.splice(Math.max(sequence - first, 0), 0, lesson);
    for (const [index, other] of others.entries()) other.sequence = index + first;
  }

  return {
    read: () =>
      structureOf({
        modules: moduleIds.map((id) => ({ id, title: `M${id}`, lessons: listOf(id) })),
        ungrouped_lessons: listOf(null),
      }),
    write: ({ lesson_id, sequence, ...changes }) => {
      const lesson = rows.find(({ id }) => id === lesson_id);
      if (lesson === undefined) throw new Error(`no lesson ${lesson_id}`);
      Object.assign(lesson, changes);
      if (sequence === undefined) return;
      if (meaning === 'absolute') lesson.sequence = sequence;
      else push(lesson, sequence);
    },
  };
}

export class Fault extends Error {}

/** Lets `most` writes through. The next one fails, and may have been applied nevertheless. */
export function failingAfter(api: ModelApi, most: number, isDone: boolean): ModelApi {
  let left = most;
  return {
    read: api.read,
    write: (write) => {
      left -= 1;
      if (left >= 0 || isDone) api.write(write);
      if (left < 0) throw new Fault();
    },
  };
}

/**
 * Applies a target like the tool: reads, writes a pass, reads again, and continues while there is another pass. Throws if
 * its own writes look like edits of somebody else.
 */
export function apply(api: ModelApi, target: Target, changes: readonly LessonChange[] = []): Write[] {
  const sent: Write[] = [];
  const written = new Set<number>();
  let course = api.read();
  for (const pass of strategies) {
    if (isTargetReached(course, target, changes, written)) break;
    for (const write of pass(course, target, changes, written)) {
      api.write(write);
      sent.push(write);
      written.add(write.lesson_id);
    }
    const seen = api.read();
    const edits = concurrentEdits(course, seen, target, new Map([...written].map((id) => [id, true])));
    if (edits.length > 0) throw new Error(`taken for edits: ${edits.join('; ')}`);
    course = seen;
  }
  return sent;
}

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

function lessonsOf({ maxLessons, moduleIds, highest }: Size): fc.Arbitrary<ServedLesson[]> {
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
function targetsOf(lessons: readonly ServedLesson[], moduleIds: readonly number[]): fc.Arbitrary<Target> {
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
    return lists.map((module_id) => ({ module_id, lesson_ids: idsIn(module_id) }));
  });
}

function changesOf(lessons: readonly ServedLesson[]): fc.Arbitrary<LessonChange[]> {
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

/** Checks many cases, always the same ones. */
export function forCases(size: Size, seed: number, check: (one: Case) => void, runs = 10_000): void {
  fc.assert(fc.property(cases(size), check), { numRuns: runsOf(runs), seed });
}
