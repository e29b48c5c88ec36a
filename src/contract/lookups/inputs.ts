import type { getCourseStructure } from '../courses.ts';
import type { ProductType } from '../products.ts';
import type { ParsedResponse } from '../schemas/response.ts';
import type { Arguments, RecordIndex } from './record-lookup.ts';

type Structure = ParsedResponse<(typeof getCourseStructure)['response']>;

/** The input of `getCourseStructure` for the course that the arguments name, or for the course of their lesson. */
export function structureInput({ course_id, lesson_id }: Arguments, { courseOfLesson }: RecordIndex) {
  if (typeof course_id === 'number') return { course_id };
  const course = typeof lesson_id === 'number' ? courseOfLesson(lesson_id) : undefined;
  return course === undefined ? undefined : { course_id: course };
}

/** Every lesson of a structure with the id of its module, null for a lesson in no module. */
export function lessonsOf({ modules = [], ungrouped_lessons: ungrouped = [] }: Structure) {
  return [
    ...modules.flatMap(({ id, lessons = [] }) => lessons.map((lesson) => ({ ...lesson, module_id: id }))),
    ...ungrouped.map((lesson) => ({ ...lesson, module_id: null })),
  ];
}

/** The address of a product. The schema of the tool has checked its type. */
export function productInput({ product_type, id_or_slug }: Arguments) {
  return { product_type: product_type as ProductType, id_or_slug: String(id_or_slug) };
}

/** The address of a channel. */
export function channelInput({ id_or_slug }: Arguments) {
  return { id_or_slug: String(id_or_slug) };
}
