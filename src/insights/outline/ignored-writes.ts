import { type Course, type Place, placesOf } from './course.ts';
import type { Write } from './lesson-write.ts';

/** The fields of a write, as a place has them. */
function fieldsOf({ module_id, lesson: { title, is_published, sequence } }: Place): Record<string, unknown> {
  return { module_id, title, is_published, sequence };
}

function isIgnored(sent: unknown, was: unknown, is: unknown): boolean {
  return sent !== undefined && is !== undefined && is === was && is !== sent;
}

/** What is still as it was before a write, although it was answered as done; undefined where nothing is. */
function ignoredBy(write: Write, before: Place | undefined, after: Place | undefined): string[] {
  if (before === undefined || after === undefined) return [];
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const sent: Record<string, unknown> = { ...write };
  return Object.keys(is).filter((name) => isIgnored(sent[name], was[name], is[name]));
}

/** Writes that were answered as done and changed nothing of what they were for, with the fields that are as before. */
export function ignoredWrites(before: Course, after: Course, writes: readonly Write[]) {
  const [was, is] = [placesOf(before), placesOf(after)];
  return writes.flatMap((write) => {
    const fields = ignoredBy(write, was.get(write.lesson_id), is.get(write.lesson_id));
    return fields.length === 0 ? [] : [{ lesson_id: write.lesson_id, fields }];
  });
}
