import { getCourseStructure } from '../../contract/courses.ts';
import type { Operation } from '../../contract/operation.ts';
import { isObject } from '../../shared/json.ts';

const maxEntries = 50_000;

/** Where a lesson was last seen. */
export interface IndexedLesson {
  readonly course: number;
  readonly sequence: unknown;
}

function lessonsIn(list: unknown): { id: number; sequence: unknown }[] {
  const lessons = Array.isArray(list) ? list.filter(isObject) : [];
  return lessons.flatMap(({ id, sequence }) => (typeof id === 'number' ? [{ id, sequence }] : []));
}

/**
 * Remembers the course and the sequence number of each lesson in the structures that were read. The API cannot be asked
 * for the course of a lesson, and only the course's structure shows the effect of a write to it.
 */
export type LessonIndex = ReturnType<typeof createLessonIndex>;

export function createLessonIndex() {
  const places = new Map<number, IndexedLesson>();
  return {
    learn: ({ id }: Operation, answer: object): void => {
      if (id !== getCourseStructure.id) return;
      const { course, modules, ungrouped_lessons: loose }: Record<string, unknown> = { ...answer };
      const courseId = isObject(course) && typeof course.id === 'number' ? course.id : undefined;
      if (courseId === undefined) return;
      const grouped = Array.isArray(modules) ? modules.filter(isObject).map(({ lessons }) => lessons) : [];
      if (places.size > maxEntries) places.clear();
      for (const lesson of [...grouped, loose].flatMap(lessonsIn)) {
        places.set(lesson.id, { course: courseId, sequence: lesson.sequence });
      }
    },
    courseOf: (lessonId: number): number | undefined => places.get(lessonId)?.course,
    /** What is known of the lesson that a write changes. */
    lastKnown: (input: object): Readonly<Record<string, unknown>> | undefined => {
      const place = 'lesson_id' in input ? places.get(Number(input.lesson_id)) : undefined;
      return place && { sequence: place.sequence };
    },
    /** After a write the known sequence number is out of date. */
    forget: (input: object): void => {
      const id = 'lesson_id' in input ? Number(input.lesson_id) : undefined;
      const place = id === undefined ? undefined : places.get(id);
      if (id !== undefined && place !== undefined) places.set(id, { course: place.course, sequence: undefined });
    },
  };
}
