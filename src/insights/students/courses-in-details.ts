import { isObject, type Json } from '../../shared/json.ts';
import { type ListRead, readProductList } from '../sales/products-in-order.ts';

// Reads the courses in the details of a student. The API document names the contents of that response, not its keys.

export interface CoursesInDetails {
  /** Courses that could be read. */
  readonly courses: ListRead['products'];
  /** Every entry was read: a course that is not in `courses` is not in the list. */
  readonly isWhole: boolean;
}

const mayHoldCourses = ([key, value]: [string, unknown]) =>
  /course|enrol/i.test(key) && typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Undefined if the details have no list of courses. A list under another key could not be read. */
export function coursesInDetails(details: Json): CoursesInDetails | undefined {
  const list = readProductList(details.enrolled_courses ?? details.courses, 'course', false);
  if (list !== undefined) return { courses: list.products, isWhole: list.isWhole };
  return Object.entries(details).some(mayHoldCourses) ? { courses: [], isWhole: false } : undefined;
}

/** The entry of a course as the API sent it: it may have fields that the document does not name. Empty if there is none. */
export function entryOfCourse(details: Json, courseId: number): Json {
  const list = details.enrolled_courses ?? details.courses;
  const entries = Array.isArray(list) ? list.filter(isObject) : [];
  return entries.find(({ course_id, id }) => String(course_id ?? id) === String(courseId)) ?? {};
}
