import { type Course, type Lesson, type Place, placesOf } from './course.ts';
import { differences } from './course-version.ts';
import type { Write } from './lesson-changes.ts';
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

/** The fields that a write can change, with their values at a place. */
function fieldsOf({ module_id, lesson: { title, is_published, sequence } }: Place): Record<string, unknown> {
  return { module_id, title, is_published, sequence };
}

function isIgnored(sent: unknown, was: unknown, is: unknown): boolean {
  return sent !== undefined && is !== undefined && is === was && is !== sent;
}

/** Fields that a write sent and that still have their old value. */
function ignoredBy(write: Write, before: Place | undefined, after: Place | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const sent: Record<string, unknown> = { ...write };
  return Object.keys(is).filter((name) => isIgnored(sent[name], was[name], is[name]));
}

/** Writes that the API answered with success without changing these fields. */
export function ignoredWrites(before: Course, after: Course, writes: readonly Write[]) {
  const [was, is] = [placesOf(before), placesOf(after)];
  return writes.flatMap((write) => {
    const fields = ignoredBy(write, was.get(write.lesson_id), is.get(write.lesson_id));
    return fields.length === 0 ? [] : [{ lesson_id: write.lesson_id, fields }];
  });
}
