import type { ListedProduct } from '../sales/product-ref.ts';
import { readProducts } from '../sales/products-in-order.ts';

// The courses that the details of a student show: the document names the contents of that answer, not its keys.

type Json = Readonly<Record<string, unknown>>;

/** What is shown of the courses of a student. */
export interface ShownCourses {
  /** Those that could be read. */
  readonly courses: readonly ListedProduct[];
  /** Titles that stand where ids are expected. */
  readonly titles: readonly string[];
  /** Every entry names its course by an id: what is not there is not listed. */
  readonly isWhole: boolean;
}

/** Keys that the list may have, the likeliest first. */
const keys = ['enrolled_courses', 'courses', 'enrollments', 'enrollments', 'enrolledCourses', 'course_ids'];

function titlesIn(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  const titles: unknown[] = value.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'title' in entry ? entry.title : entry,
  );
  return titles.filter((title) => typeof title === 'string' && !/^\d*$/.test(title.trim())) as string[];
}

/** Undefined where the details show no such list, in whatever form. */
export function coursesShown(details: Json): ShownCourses | undefined {
  const value = keys.map((key) => details[key]).find((one) => one !== undefined && one !== null);
  if (value === undefined) return undefined;
  const { products, unread } = readProducts({ courses: value });
  const courses = products.filter(({ kind }) => kind === 'course');
  return { courses, titles: titlesIn(value), isWhole: !unread.includes('course') };
}
