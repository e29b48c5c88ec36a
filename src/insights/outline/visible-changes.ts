import { type Course, type Lesson, type Place, placesOf } from './course.ts';
import type { Write } from './lesson-write.ts';
import { maxWeightSubsequence } from './max-weight-subsequence.ts';
import type { TargetList } from './moves.ts';
import type { Target } from './target.ts';

type Writes = ReadonlyMap<number, Write>;

/** What students may notice of a plan. */
export interface VisibleChanges {
  /** Lessons that leave their place among the others of their list, by their final publication. */
  readonly moved: {
    readonly all: readonly Lesson[];
    readonly published: readonly Lesson[];
    /** The API does not show whether they are published. */
    readonly unknown: readonly Lesson[];
  };
  /** Lessons that the plan publishes in a module that is not unpublished. */
  readonly visible: readonly Lesson[];
  /** Lessons that the plan unpublishes. */
  readonly hidden: readonly Lesson[];
  /** Published lessons that move into an unpublished module from another one. */
  readonly unpublished: readonly Lesson[];
}

interface Final {
  readonly place: Place;
  readonly module_id: number | null;
}

/**
 * The lessons of a list that move: those of other lists, and those that change places. As few as possible, and of lessons
 * that change places with each other those that are written.
 */
function movedInto({ module_id, lesson_ids }: TargetList, places: ReadonlyMap<number, Place>, writes: Writes): Final[] {
  const list = lesson_ids.flatMap((id) => places.get(id) ?? []);
  const candidates = list.flatMap((place, index) => {
    const worth = writes.has(place.lesson.id) ? list.length : list.length + 1;
    return place.module_id === module_id ? [{ index, worth }] : [];
  });
  const oldIndex = (index: number) => list[index]?.index ?? (index < 0 ? -1 : Number.POSITIVE_INFINITY);
  const kept = new Set(
    maxWeightSubsequence(list.length, candidates, (index, next) => oldIndex(index) < oldIndex(next)),
  );
  return list.flatMap((place, index) => (kept.has(index) ? [] : [{ place, module_id }]));
}

const lessonOf = ({ place }: Final) => place.lesson;

/** Finds what a plan moves, shows and hides. */
export function visibleChanges(course: Course, { lists }: Target, writes: readonly Write[]): VisibleChanges {
  const places = placesOf(course);
  const byId: Writes = new Map(writes.map((write) => [write.lesson_id, write]));
  const moved = lists.flatMap((list) => movedInto(list, places, byId));
  // By their final state: students do not see a lesson move that the same plan hides.
  const published = ({ place: { lesson } }: Final) => byId.get(lesson.id)?.is_published ?? lesson.is_published;
  const isClosed = (id: number | null) =>
    course.lists.some(({ module_id, is_published }) => module_id === id && is_published === false);
  const homes = new Map(lists.flatMap(({ module_id, lesson_ids }) => lesson_ids.map((id) => [id, module_id] as const)));
  const becomes = (value: boolean) =>
    writes.flatMap(({ lesson_id, is_published }) =>
      is_published === value ? (places.get(lesson_id)?.lesson ?? []) : [],
    );
  return {
    moved: {
      all: moved.map(lessonOf),
      // Within unpublished modules nobody sees a move.
      published: moved
        .filter((one) => published(one) === true && !(isClosed(one.module_id) && isClosed(one.place.module_id)))
        .map(lessonOf),
      unknown: moved.filter((one) => published(one) === undefined).map(lessonOf),
    },
    visible: becomes(true).filter(({ id }) => !isClosed(homes.get(id) ?? null)),
    hidden: becomes(false),
    unpublished: moved
      .filter((one) => published(one) === true && isClosed(one.module_id) && !isClosed(one.place.module_id))
      .map(lessonOf),
  };
}
