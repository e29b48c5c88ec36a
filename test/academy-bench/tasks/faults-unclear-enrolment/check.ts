import type { Check } from '../../task.ts';
import { access, courseId, productNamed } from '../../truth.ts';

const course = 'Watercolour Basics';

export const check: Check = {
  writes: (academy) =>
    [
      { email: 'ewan.begum@example.net' },
      { email: 'itzel.quinones2@example.com', name: 'Itzel Quiñones Mora' },
      { email: 'freya.llewellyn@example.com' },
    ].map((person) => access('enroll', { ...person, course_id: courseId(academy, course) })),
  says: () => [],
  reads: () => [productNamed(course), '/api/v1/orders?status=all&user_email=ewan.begum@example.net'],
};
