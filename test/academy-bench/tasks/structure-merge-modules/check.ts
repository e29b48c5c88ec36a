import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id } = lesson(academy, 'Rye');
    return ['Too dense', 'Too sour', 'It sticks to everything'].map((title, index) =>
      editLesson(lesson(academy, title).id, { module_id, sequence: 4 + index }),
    );
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};
