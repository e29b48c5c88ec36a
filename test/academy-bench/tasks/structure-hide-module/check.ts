import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id, course_id } = lesson(academy, 'The kitchen');
    return academy.lessons.siblings(course_id, module_id).map(({ id }) => editLesson(id, { is_published: false }));
  },
  says: () => [],
  reads: () => [productNamed('Thirty Days'), '/api/v1/courses/13/lessons'],
};
