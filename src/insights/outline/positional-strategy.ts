import { type Course, type Place, placesOf } from './course.ts';
import { type Changed, type DueChanges, dueChanges, noneWritten } from './lesson-changes.ts';
import { hiddenWhileMoved, intoList, type Write } from './lesson-write.ts';
import { maxWeightSubsequence } from './max-weight-subsequence.ts';
import type { TargetList } from './moves.ts';
import type { Strategy } from './strategy.ts';
import { currentTarget } from './target.ts';

/** The largest set of lessons of a list that are in the right order already; prefers lessons without another write. */
function settledIn(
  { module_id, lesson_ids }: TargetList,
  places: ReadonlyMap<number, Place>,
  isWritten: (id: number) => boolean,
): number[] {
  const here = lesson_ids.flatMap((id) => {
    const place = places.get(id);
    return place?.module_id === module_id ? [{ id, rank: place.index }] : [];
  });
  const candidates = here.map(({ id }, index) => ({ index, worth: isWritten(id) ? 1 : here.length + 1 }));
  const rankAt = (index: number) => here[index]?.rank ?? (index < 0 ? -1 : Number.POSITIVE_INFINITY);
  const chain = maxWeightSubsequence(here.length, candidates, (index, next) => rankAt(index) < rankAt(next));
  return chain.flatMap((index) => here[index]?.id ?? []);
}

/** Simulates the lists if a written `sequence` is a place, from 0, that shifts the others. */
function createLists(course: Course) {
  const lists = currentTarget(course).lists.map(({ module_id, lesson_ids }) => ({ module_id, ids: [...lesson_ids] }));
  return {
    /** Puts a lesson right behind another, or to the front, and returns its new place. */
    put: (id: number, moduleId: number | null, behind: number | undefined): number => {
      for (const { ids } of lists) if (ids.includes(id)) ids.splice(ids.indexOf(id), 1);
      const ids = lists.find(({ module_id }) => module_id === moduleId)?.ids ?? [];
      const index = behind === undefined ? 0 : ids.indexOf(behind) + 1;
      ids.splice(index, 0, id);
      return index;
    },
  };
}

interface Step extends Changed {
  readonly lesson_id: number;
  readonly module_id: number | null;
  /** The lessons before it in the final list. */
  readonly ahead: readonly number[];
}

function stepsOf({ module_id, lesson_ids }: TargetList, isDone: (id: number) => boolean, due: DueChanges): Step[] {
  return lesson_ids.flatMap((lesson_id, index) =>
    isDone(lesson_id) ? [] : [{ lesson_id, module_id, ahead: lesson_ids.slice(0, index), ...due.get(lesson_id) }],
  );
}

/**
 * The fewest writes that reach the target if `sequence` is a place in the list that shifts the others. Places ascend within
 * a list, except for lessons that are hidden first or published last. Each lesson goes right behind the nearest settled one.
 */
export const positionalWrites: Strategy = (course, { lists }, changes = [], written = noneWritten) => {
  const places = placesOf(course);
  const due = dueChanges(course, changes, written);
  const settled = new Set(lists.flatMap((list) => settledIn(list, places, (id) => due.has(id))));
  const isDone = (id: number) => !places.has(id) || (settled.has(id) && !due.has(id));
  const shown = createLists(course);
  const writeOf = ({ lesson_id, module_id, ahead, ...changed }: Step): Write => {
    if (settled.has(lesson_id)) return { lesson_id, ...changed };
    const behind = ahead.findLast((id) => settled.has(id));
    settled.add(lesson_id);
    const sequence = shown.put(lesson_id, module_id, behind);
    return { lesson_id, ...intoList(module_id, places.get(lesson_id)), sequence, ...changed };
  };
  return hiddenWhileMoved(lists.flatMap((list) => stepsOf(list, isDone, due))).map(writeOf);
};
