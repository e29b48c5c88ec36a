import type { Check } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => {
    const { module_id } = lesson(academy, 'Mixing by hand');
    const order = ['What flour does', 'Mixing by hand', 'Flatbread in a pan', 'Waiting', 'Baking in a pot'];
    return order.map((title, sequence) => editLesson(lesson(academy, title).id, { module_id, sequence }));
  },
  says: () => [],
  reads: () => [productNamed('Bread at Home'), '/api/v1/courses/8/lessons'],
};
