import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) =>
    ['It sticks to everything', 'Too sour', 'Too dense'].map((title, sequence) =>
      editLesson(lesson(academy, title).id, { sequence }),
    ),
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};
