import { getCourseStructure } from '../contract/courses.ts';
import type { Operation } from '../contract/operation.ts';
import { isObject } from './tolerate.ts';

const mostKept = 50_000;

function idsIn(list: unknown): number[] {
  const lessons = Array.isArray(list) ? list.filter(isObject) : [];
  return lessons.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
}

/**
 * Remembers from the structures that were read which course a lesson is in: the API has no way to ask, and only the
 * course's structure shows what became of a lesson.
 */
export function createLessonPlaces() {
  const courses = new Map<number, number>();
  return {
    learn: ({ id }: Operation, answer: object): void => {
      if (id !== getCourseStructure.id) return;
      const { course, modules, ungrouped_lessons: loose }: Record<string, unknown> = { ...answer };
      const courseId = isObject(course) && typeof course.id === 'number' ? course.id : undefined;
      if (courseId === undefined) return;
      const grouped = Array.isArray(modules) ? modules.filter(isObject).map(({ lessons }) => lessons) : [];
      if (courses.size > mostKept) courses.clear();
      for (const lesson of [...grouped, loose].flatMap(idsIn)) courses.set(lesson, courseId);
    },
    courseOf: (lessonId: number): number | undefined => courses.get(lessonId),
  };
}
