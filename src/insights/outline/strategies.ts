import { type Course, type Place, placesOf } from './course.ts';
import {
  type DueChanges,
  dueChanges,
  hiddenWhileMoved,
  intoList,
  type LessonChange,
  type Write,
  type Written,
} from './lesson-changes.ts';
import { currentTarget, inOldOrder, maxWeightSubsequence, type Target, type TargetList } from './target.ts';

/** One past the largest number that `sequence` is sent with. */
const beyondLargest = 2 ** 31;

/** A lesson of a list in its final order. */
interface Numbered {
  /** Undefined if it comes from another list, or the API shows no number. */
  readonly number: number | undefined;
  /** Whether it is written anyway, for another reason. */
  readonly isWritten: boolean;
}

/** How many numbers are free between two used ones, from 0 up. */
function room(lower: number, upper: number): number {
  return Math.max(0, Math.min(upper, beyondLargest) - Math.max(lower + 1, 0));
}

/**
 * The places that keep their numbers: as many as possible, with room between them for all others. Two neighbours never have
 * identical numbers, since the document does not say how the API orders them. Among equally many places, those that need no
 * extra write win.
 */
function keptPlaces(list: readonly Numbered[]): number[] {
  const most = list.length + 1;
  const worth = (isWritten: boolean) => (isWritten ? 1 : most);
  const weights = list.map(({ number, isWritten }) => (number === undefined ? undefined : worth(isWritten)));
  return maxWeightSubsequence(weights, (index, next) => {
    const lower = list[index]?.number ?? Number.NEGATIVE_INFINITY;
    const upper = list[next]?.number ?? Number.POSITIVE_INFINITY;
    return lower < upper && room(lower, upper) >= next - index - 1;
  });
}

/** The new number of each place; undefined if it keeps its number. */
function newNumbers(list: readonly Numbered[]): (number | undefined)[] {
  const kept = new Set(keptPlaces(list));
  let last = -1;
  return list.map(({ number }, index) => {
    const isNew = !kept.has(index);
    last = isNew ? Math.max(last + 1, 0) : (number ?? last);
    return isNew ? last : undefined;
  });
}

/** A list is in order, with any numbers, if it has no new lessons and none passes another. */
function isInOrder(places: readonly Place[], moduleId: number | null): boolean {
  return places.every(
    ({ module_id, index }, at) => module_id === moduleId && (at === 0 || index > (places[at - 1]?.index ?? -1)),
  );
}

function numbersFor(
  { module_id: home, numbers }: TargetList,
  there: readonly Place[],
  due: DueChanges,
): (number | undefined)[] {
  if (numbers !== undefined)
    return there.map(({ lesson: { id, sequence } }) => (numbers.get(id) === sequence ? undefined : numbers.get(id)));
  if (isInOrder(there, home)) return there.map(() => undefined);
  return newNumbers(
    there.map(({ lesson, module_id }) => ({
      number: module_id === home ? lesson.sequence : undefined,
      isWritten: due.has(lesson.id),
    })),
  );
}

const changesSomething = (write: Write) => Object.keys(write).length > 1;

type Places = ReadonlyMap<number, Place>;

function writesOf(list: TargetList, places: Places, due: DueChanges): Write[] {
  // A lesson that has been removed since has no place.
  const there = list.lesson_ids.flatMap((id) => places.get(id) ?? []);
  const numbers = numbersFor(list, there, due);
  const writes = there.map((entry, index): Write => {
    const sequence = numbers[index];
    const { id } = entry.lesson;
    const move = intoList(list.module_id, entry);
    return { lesson_id: id, ...move, ...(sequence === undefined ? {} : { sequence }), ...due.get(id) };
  });
  return writes.filter(changesSomething);
}

/**
 * Orders the writes of a list, given by their new numbers, so that no write breaks the right order of two lessons or puts
 * one into a wrong place. A lesson that moves up is written after all that move further up, and one that moves down after
 * all that move further down: so none passes a lesson that still has to move ahead of it. Lessons from other lists come
 * last, when the others are in place.
 */
function inSafeOrder(writes: readonly Write[], places: Places): Write[] {
  const comes = (write: Write) => write.module_id !== undefined;
  const goesUp = ({ lesson_id, sequence = 0 }: Write) => {
    // A lesson without a number counts as behind all others.
    return sequence > (places.get(lesson_id)?.lesson.sequence ?? Number.POSITIVE_INFINITY);
  };
  const stays = writes.filter((write) => !comes(write));
  return [...stays.filter(goesUp).reverse(), ...stays.filter((write) => !goesUp(write)), ...writes.filter(comes)];
}

/**
 * The fewest writes that reach the target, in sending order, if `sequence` is a number of the lesson alone. List by list, so
 * that each list is incomplete only briefly. A list with wanted numbers gets those. Empty if the course matches its target.
 */
export const planWrites: Strategy = (course, target, changes = [], written = new Set()) => {
  const places = placesOf(course);
  const due = dueChanges(course, changes, written);
  return hiddenWhileMoved(target.flatMap((list) => inSafeOrder(writesOf(list, places, due), places)));
};

/**
 * The fewest writes if `sequence` is a place in the list, from 0, that shifts the others. Places ascend, except for lessons that
 * are hidden first or published last.
 */
export const positionalWrites: Strategy = (course, target, changes = [], written = new Set()) => {
  const places = placesOf(course);
  const due = dueChanges(course, changes, written);
  const settled = new Set(
    // Prefers lessons without another write.
    target.flatMap((list) => [...inOldOrder(list, places, (id) => (due.has(id) ? 1 : list.lesson_ids.length + 1))]),
  );
  /** The lists as the API shows them after the writes so far. */
  const shown = currentTarget(course).map(({ module_id, lesson_ids }) => ({ module_id, ids: [...lesson_ids] }));
  /** Puts a lesson right behind the nearest settled one before it, or to the front, and returns its new place. */
  const put = (id: number, { module_id, lesson_ids }: TargetList): number => {
    const behind = lesson_ids.slice(0, lesson_ids.indexOf(id)).findLast((one) => settled.has(one));
    for (const { ids } of shown) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
    const ids = shown.find((one) => one.module_id === module_id)?.ids ?? [];
    const index = behind === undefined ? 0 : ids.indexOf(behind) + 1;
    ids.splice(index, 0, id);
    settled.add(id);
    return index;
  };
  const isOpen = (id: number) => places.has(id) && (!settled.has(id) || due.has(id));
  const steps = target.flatMap((list) => list.lesson_ids.filter(isOpen).map((id) => ({ id, list, ...due.get(id) })));
  return hiddenWhileMoved(steps).map(({ id, list, ...changed }): Write => {
    if (settled.has(id)) return { lesson_id: id, ...changed };
    return { lesson_id: id, ...intoList(list.module_id, places.get(id)), sequence: put(id, list), ...changed };
  });
};

/**
 * Writes every lesson of each list that is not in its target order, with 1, 2, 3 and so on. These are many writes, but they
 * reach the target whether `sequence` is a number, a place from 0 or a place from 1: each lesson goes behind those before
 * it, and no number is below the first place of either count.
 */
export const renumberWrites: Strategy = (course, target, changes = [], written = new Set()) => {
  const places = placesOf(course);
  const due = dueChanges(course, changes, written);
  return target.flatMap((list) => {
    const isReached = isListReached(course, list);
    const there = list.lesson_ids.filter((id) => places.has(id));
    const writes = there.map((lesson_id, index): Write => {
      const move = isReached ? {} : { ...intoList(list.module_id, places.get(lesson_id)), sequence: index + 1 };
      return { lesson_id, ...move, ...due.get(lesson_id) };
    });
    return writes.filter(changesSomething);
  });
};

/**
 * Tried in this order, with a reading before each, until `isTargetReached`. If the last one fails too, somebody else changes
 * the course, or `sequence` has another meaning in the API.
 */
export const strategies: readonly Strategy[] = [planWrites, positionalWrites, renumberWrites];

type Strategy = (course: Course, target: Target, changes?: readonly LessonChange[], written?: Written) => Write[];

function isListReached(course: Course, { module_id, lesson_ids }: TargetList): boolean {
  const shown = currentTarget(course).find((list) => list.module_id === module_id)?.lesson_ids;
  return shown?.length === lesson_ids.length && lesson_ids.every((id, index) => id === shown[index]);
}

/**
 * Whether a course, as read, matches its target, with any sequence numbers: the API may assign its own. A title or publication
 * that the API does not show counts as applied once its lesson is written, since nothing can disprove it.
 */
export function isTargetReached(
  course: Course,
  target: Target,
  changes: readonly LessonChange[] = [],
  written: Written = new Set(),
): boolean {
  return (
    course.lists.length === target.length &&
    target.every((list) => isListReached(course, list)) &&
    dueChanges(course, changes, written).size === 0
  );
}
