import type { Course, Lesson, List } from '../../src/insights/outline/course.ts';
import type { Json } from '../../src/shared/json.ts';
import { number, record, records, text } from '../shared/values.ts';

/** A course as get_course_structure shows it, read in one or several parts. */
export interface ShownCourse extends Course {
  readonly id: number;
  readonly title: string;
}

/** Whether a lesson or module is published. Rows leave the usual value out, which the answer names once. */
function publicationOf(row: Json, defaults: Json): boolean | undefined {
  const value = row.is_published ?? defaults.is_published;
  return typeof value === 'boolean' ? value : undefined;
}

function lessonOf(row: Json, defaults: Json): Lesson[] {
  const id = number(row.id);
  const isPublished = publicationOf(row, defaults);
  return id === undefined ? [] : [{ id, title: text(row.title) ?? '', is_published: isPublished }];
}

function listOf(row: Json, defaults: Json): List[] {
  const id = number(row.id);
  const lessons = records(row.lessons).flatMap((lesson) => lessonOf(lesson, defaults));
  const isPublished = publicationOf(row, defaults);
  return id === undefined ? [] : [{ module_id: id, title: text(row.title) ?? '', is_published: isPublished, lessons }];
}

/** The parts of one module: an answer that was cut has the rest of it at the start of the next part. */
function merged(lists: readonly List[]): List[] {
  const byId = new Map<number | null, List>();
  for (const list of lists) {
    const known = byId.get(list.module_id);
    byId.set(list.module_id, known === undefined ? list : { ...known, lessons: [...known.lessons, ...list.lessons] });
  }
  return [...byId.values()];
}

/** Reads the answers of get_course_structure, one for each part. */
export function readCourse(parts: readonly Json[]): ShownCourse {
  const [first = {}] = parts;
  const course = record(first.course);
  const modules = merged(
    parts.flatMap(({ modules: some, defaults }) => records(some).flatMap((row) => listOf(row, record(defaults)))),
  );
  const lessons = parts.flatMap(({ ungrouped_lessons: some, defaults }) =>
    records(some).flatMap((row) => lessonOf(row, record(defaults))),
  );
  return {
    id: number(course.id) ?? 0,
    title: text(course.title) ?? '',
    lists: [...modules, { module_id: null, title: '', lessons }],
  };
}
