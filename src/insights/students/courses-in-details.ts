import { isObject, type Json } from '../../shared/json.ts';
import type { ListedProduct } from '../sales/product-ref.ts';
import { readProducts } from '../sales/products-in-order.ts';

// Reads the courses in the details of a student. The API document names the contents of that response, not its keys.

export interface CoursesInDetails {
  /** Courses that could be read. */
  readonly courses: readonly ListedProduct[];
  /** Titles in place of ids. */
  readonly titles: readonly string[];
  /** Every entry has a readable id: a course that is not in `courses` is not in the list. */
  readonly isWhole: boolean;
}

/** Keys that the list may have, the most likely first. */
const keys = ['enrolled_courses', 'courses', 'enrollments', 'enrolments', 'enrolledCourses', 'course_ids'];

function titlesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const titles: unknown[] = value.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'title' in entry ? entry.title : entry,
  );
  return titles.filter((title) => typeof title === 'string' && !/^\d*$/.test(title.trim())) as string[];
}

/** Undefined if the details have no list of courses. */
export function coursesInDetails(details: Json): CoursesInDetails | undefined {
  const value = keys.map((key) => details[key]).find((one) => one !== undefined && one !== null);
  if (value === undefined) return undefined;
  const { products, unread } = readProducts({ courses: value });
  const courses = products.filter(({ kind }) => kind === 'course');
  return { courses, titles: titlesIn(value), isWhole: !unread.includes('course') };
}

/** The entry of a course as the API sent it: it may have fields that the document does not name. Empty if there is none. */
export function entryOfCourse(details: Json, courseId: number): Json {
  const values = keys.map((key) => details[key]).filter(Array.isArray);
  const idOf = ({ course_id, course, id }: Json) => course_id ?? (isObject(course) ? course.id : id);
  return (
    values
      .flat()
      .filter(isObject)
      .find((entry) => String(idOf(entry)) === String(courseId)) ?? {}
  );
}

/** Ids of the courses in the details. Undefined if the list is missing, or incomplete without this course. */
export function courseIdsInDetails(details: Json, courseId: number): number[] | undefined {
  const list = coursesInDetails(details);
  const ids = list?.courses.map(({ id }) => id);
  return list?.isWhole || ids?.includes(courseId) ? ids : undefined;
}
