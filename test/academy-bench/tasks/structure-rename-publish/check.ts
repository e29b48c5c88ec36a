import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => [
    editLesson(lesson(academy, 'Printing one picture').id, { title: 'Printing your best picture', is_published: true }),
  ],
  says: () => [],
  reads: () => [productNamed('Photography'), '/api/v1/courses/5/lessons'],
};
