import { type Course, type Place, placesOf } from './course.ts';
import type { Write } from './write.ts';

/** The fields of a write that show whether it was taken, as a place has them: numbers may be given anew. */
function fieldsOf({ module_id, lesson: { title, is_published } }: Place): Record<string, unknown> {
  return { module_id, title, is_published };
}

function isIgnored(sent: unknown, was: unknown, is: unknown): boolean {
  return sent !== undefined && is !== undefined && is === was && is !== sent;
}

/** What is still as it was before a write, although it was answered as done; undefined where nothing is. */
function ignoredBy(write: Write, before: Place | undefined, after: Place | undefined): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const sent: Record<string, unknown> = { ...write };
  const names = Object.keys(is).filter((name) => isIgnored(sent[name], was[name], is[name]));
  return names.length === 0 ? undefined : names.join(', ');
}

/** Writes that were answered as done and changed nothing of what they were for, with the fields that are as before. */
export function ignoredWrites(before: Course, after: Course, writes: readonly Write[]) {
  const [was, is] = [placesOf(before), placesOf(after)];
  return writes.flatMap((write) => {
    const fields = ignoredBy(write, was.get(write.lesson_id), is.get(write.lesson_id));
    return fields === undefined ? [] : [{ lesson_id: write.lesson_id, fields }];
  });
}
