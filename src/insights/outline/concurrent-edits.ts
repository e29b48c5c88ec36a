import { type Course, type Lesson, placesOf } from './course.ts';
import { differences } from './course-version.ts';
import type { Target } from './target.ts';

/** What a call has sent to the API so far. */
export interface WriteLog {
  /** Lessons of which something was sent, whatever came of it. */
  readonly sent: ReadonlySet<number>;
  /** Those of them that are known to be written. */
  readonly applied: ReadonlySet<number>;
}

/** The lessons that were not sent, with what no write of another lesson changes, whatever `sequence` means. */
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

/** A lesson that was sent stands where it was sent to or, where that may have failed, where it stood. */
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
 * What somebody else must have done to a course between two readings, a line for each thing: what the writes of this call
 * explain under neither meaning of `sequence`.
 */
export function concurrentEdits(before: Course, after: Course, target: Target, log: WriteLog): string[] {
  const names = new Map(after.lists.map(({ module_id, title }) => [module_id, title]));
  const others = differences(untouched(before, log, names), untouched(after, log, names));
  return [...others, ...misplacedLessons(before, after, target, log)];
}
