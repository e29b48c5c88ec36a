import { type Course, type Place, placesOf } from './course.ts';
import type { Write } from './lesson-write.ts';

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
