import { tools } from '../../tools/index.ts';

/** Tools that answer whole questions, written out by hand: every other one is one operation of the API. */
export const composites = [
  'plan_course_outline',
  'apply_course_outline',
  'find_buyers',
  'sales_report',
  'student_profile',
  'diagnose_access',
  'course_progress',
  'community_digest',
  'bulk_enroll_students',
];

/** Of those, the ones that write: what became of each part stands in their answer. */
export const compositeWrites = ['apply_course_outline', 'bulk_enroll_students'];

export const operationTools = tools.filter(({ name }) => !composites.includes(name));
