import type { Check } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';

const course = 'Python from Zero';

export const check: Check = {
  writes: (academy) => [
    access('reset-course-progress', { email: 'gul.schaferlind@example.net', course_id: courseId(academy, course) }),
  ],
  says: () => [],
  reads: () => [productNamed(course)],
};
