import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { editLesson, lesson, productNamed } from '../../truth.ts';
import { also, does } from '../../wrong.ts';

export const check: Check = {
  writes: (academy) => [
    editLesson(lesson(academy, 'Printing one picture').id, { title: 'Printing your best picture', is_published: true }),
  ],
  says: () => [],
  reads: () => [productNamed('Photography'), '/api/v1/courses/5/lessons'],
};

export const oracle: Oracle = async ({ call }) => {
  await call('get_course_structure', { course_id: 5 });
  await call('update_lesson', { lesson_id: 1095, title: 'Printing your best picture', is_published: true });
  return 'It is renamed and public.';
};

const done = 'It is renamed and public.';
const title = 'Printing your best picture';

export const saboteurs: Saboteurs = {
  state: {
    'renames it alone': does(done, ['update_lesson', { lesson_id: 1095, title }]),
    'publishes the other hidden lessons too': also('update_lesson', { lesson_id: 1080, is_published: true }),
    'publishes another one': does(done, ['update_lesson', { lesson_id: 1077, title, is_published: true }]),
    'overwrites the text': also('update_lesson', { lesson_id: 1095, content: 'Choose paper and print.' }),
  },
};
