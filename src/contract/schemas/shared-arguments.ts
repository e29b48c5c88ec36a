import { email, id, integer } from './input-fields.ts';

// Arguments that operations of several sections take.

export const studentEmail = email("The student's email");
export const courseId = id('Course id, from list_courses or search_products');
export const bundleId = id('Bundle id, from list_bundles or search_products');

export const pageNumber = (description = 'Page number from 1') => integer(1, 1_000_000, description).optional();
