import { type Course, type Lesson, placesOf } from './course.ts';
import { differences } from './course-version.ts';
import type { Target } from './target.ts';

/** What a call has sent to the API so far. */
export interface WriteLog {
  /** Lessons with a write that was sent, whatever its outcome. */
  readonly sent: ReadonlySet<number>;
  /** Lessons with a write that is known to be applied. */
  readonly applied: ReadonlySet<number>;
}

/** The lessons that were not sent, without `sequence`, which writes of other lessons may change. */
function untouched({ lists }: Course, { sent }: WriteLog, names: ReadonlyMap<number | null, string>): Course {
  const bare = ({ sequence: _pushed, ...lesson }: Lesson): Lesson => lesson;
  return {
    lists: lists.map(({ module_id, title, lessons, ...module }) => ({
      ...module,
      module_id,
      title: names.get(module_id) ?? title,
      lessons: lessons.filter(({ id }) => !sent.has(id)).map(bare),
    })),
  };
}

/** Sent lessons in neither their target module nor, if the write may have failed, their old one. */
function misplacedLessons(before: Course, after: Course, { lists }: Target, { sent, applied }: WriteLog): string[] {
  const [was, is] = [placesOf(before), placesOf(after)];
  const goals = new Map(lists.flatMap(({ module_id, lesson_ids }) => lesson_ids.map((id) => [id, module_id] as const)));
  return [...sent].flatMap((id) => {
    const here = is.get(id)?.module_id;
    if (here === undefined) return was.has(id) ? [`lesson ${id}: is gone`] : [];
    if (here === goals.get(id) || (!applied.has(id) && here === was.get(id)?.module_id)) return [];
    return [`lesson ${id}: was written into module ${goals.get(id) ?? 'none'}, is in ${here ?? 'none'}`];
  });
}

/**
 * Changes to a course between two readings that somebody else must have made, a line each: the writes of this call explain
 * them under neither meaning of `sequence`.
 */
export function concurrentEdits(before: Course, after: Course, target: Target, log: WriteLog): string[] {
  const names = new Map(after.lists.map(({ module_id, title }) => [module_id, title]));
  const others = differences(untouched(before, log, names), untouched(after, log, names));
  return [...others, ...misplacedLessons(before, after, target, log)];
}
