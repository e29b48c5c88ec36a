import { email, id, integer } from './input-fields.ts';
import { describedOnce } from './listed-form.ts';

// Arguments that operations of several sections take.

export const studentEmail = describedOnce(email("The student's email"));
export const courseId = describedOnce(id('Course id, from list_courses or search_products'));
export const bundleId = describedOnce(id('Bundle id, from list_bundles or search_products'));

export function pageNumber(description?: string) {
  const page = integer(1, 1_000_000, description ?? 'Page number from 1');
  return (description === undefined ? describedOnce(page) : page).optional();
}
