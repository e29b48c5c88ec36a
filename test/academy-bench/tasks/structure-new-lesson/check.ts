import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id, course_id } = lesson(academy, 'Feeding it');
    const later = ['Reading the dough', 'Shaping', 'Scoring'];
    const fields = { title: 'When the starter smells odd', module_id, points: 10, is_published: false, sequence: 2 };
    return [
      ...later.map((title, index) => editLesson(lesson(academy, title).id, { sequence: index + 3 })),
      ['POST', `/api/v1/courses/${course_id}/lessons`, fields],
    ];
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};
