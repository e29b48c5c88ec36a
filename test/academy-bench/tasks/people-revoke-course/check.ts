import type { Check } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';

const course = 'Write Clearly at Work';

export const check: Check = {
  writes: (academy) => [
    access('revoke-course', {
      email: 'freya.begum@example.net',
      name: 'Freya Begum',
      course_id: courseId(academy, course),
    }),
  ],
  says: () => [],
  reads: () => [productNamed(course)],
};
