import { type Course, type Place, placesOf } from './course.ts';
import { type DueChanges, dueChanges, type LessonChange, noneWritten, type Written } from './lesson-changes.ts';
import { hiddenWhileMoved, intoList, type Write } from './lesson-write.ts';
import type { TargetList } from './moves.ts';
import { newNumbers } from './sequence-numbers.ts';
import type { Target } from './target.ts';

interface Present {
  readonly places: ReadonlyMap<number, Place>;
  readonly due: DueChanges;
}

/** A list that nobody enters, and in which nobody passes another, is right whatever its numbers are. */
function isInOrder(places: readonly Place[], moduleId: number | null): boolean {
  return places.every(
    ({ module_id, index }, at) => module_id === moduleId && (at === 0 || index > (places[at - 1]?.index ?? -1)),
  );
}

function numbersFor(places: readonly Place[], moduleId: number | null, due: DueChanges): (number | undefined)[] {
  if (isInOrder(places, moduleId)) return places.map(() => undefined);
  return newNumbers(
    places.map(({ lesson, module_id }) => ({
      number: module_id === moduleId ? lesson.sequence : undefined,
      isWritten: due.has(lesson.id),
    })),
  );
}

function writesOf({ module_id, lesson_ids }: TargetList, { places, due }: Present): Write[] {
  // A lesson that is gone meanwhile has no place.
  const there = lesson_ids.flatMap((id) => places.get(id) ?? []);
  const numbers = numbersFor(there, module_id, due);
  const writes = there.map((place, index): Write => {
    const { lesson } = place;
    const sequence = numbers[index];
    return {
      lesson_id: lesson.id,
      ...intoList(module_id, place),
      ...(sequence === undefined ? {} : { sequence }),
      ...due.get(lesson.id),
    };
  });
  return writes.filter((write) => Object.keys(write).length > 1);
}

/**
 * Puts the writes of a list, given in the order of their new numbers, so that none parts two lessons that stood in
 * the right order, or puts one into a wrong place. What goes up goes after all that go further up, what goes down after
 * all that go further down: so none passes another that has yet to go ahead of it. What comes from another list finds
 * the others in place.
 */
function inSafeOrder(writes: readonly Write[], places: Present['places']): Write[] {
  const comes = (write: Write) => write.module_id !== undefined;
  const goesUp = ({ lesson_id, sequence = 0 }: Write) => {
    // Without a number it is taken to stand behind all that have one.
    return sequence > (places.get(lesson_id)?.lesson.sequence ?? Number.POSITIVE_INFINITY);
  };
  const stays = writes.filter((write) => !comes(write));
  return [...stays.filter(goesUp).reverse(), ...stays.filter((write) => !goesUp(write)), ...writes.filter(comes)];
}

/**
 * The fewest writes that reach the target, in the order in which to send them, if `sequence` is a number of the lesson
 * alone. List by list, so that each is under way for a short time only. Nothing where all is as it shall be.
 */
export function planWrites(
  course: Course,
  { lists }: Target,
  changes: readonly LessonChange[] = [],
  written: Written = noneWritten,
): Write[] {
  const present: Present = { places: placesOf(course), due: dueChanges(course, changes, written) };
  return hiddenWhileMoved(lists.flatMap((list) => inSafeOrder(writesOf(list, present), present.places)));
}
