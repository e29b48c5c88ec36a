import type { Switch } from './switch.ts';
import { reads, writes } from './switch.ts';

/** None is turned: everything must be right. */
export const none: Switch = {
  name: 'none',
  class: 'fine',
  kind: 'fine',
  says: 'the academy as it is',
  probes: [
    ...reads,
    ...writes,
    'enroll_student',
    'bulk_enroll_students',
    'list_courses',
    'list_bundles',
    'list_digital_products',
    'list_completed_students',
    'get_course_completion',
    'plan_course_outline',
    'apply_course_outline',
  ],
  rules: {},
};
