import type { getCourseStructure } from '../courses.ts';
import type { InputOf, Operation } from '../operation.ts';
import type { ProductType } from '../products.ts';
import type { ParsedResponse } from '../schemas/response.ts';

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Relations between records that earlier answers have shown: the API has no request for them. */
export interface RecordIndex {
  /** The course of a lesson, if a course structure has shown the lesson. */
  readonly courseOfLesson: (lessonId: number) => number | undefined;
}

/** A read request about the record that a call's arguments name, and what to take from its answer. */
export interface RecordLookup<Value> {
  readonly operation: Operation;
  /** The input of the request; undefined if the arguments and the index do not determine it. */
  readonly input: (given: Arguments, index: RecordIndex) => Arguments | undefined;
  /** Undefined if the answer does not show the record. */
  readonly value: (answer: unknown, given: Arguments) => Value | undefined;
}

/** Checks the types of a lookup against its operation. `value` is only called with an answer of that operation. */
export function defineLookup<O extends Operation, Value>(lookup: {
  readonly operation: O;
  readonly input: (given: Arguments, index: RecordIndex) => InputOf<O> | undefined;
  readonly value: (answer: ParsedResponse<O['response']>, given: Arguments) => Value | undefined;
}): RecordLookup<Value> {
  return lookup as RecordLookup<Value>;
}

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
