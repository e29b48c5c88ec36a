import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

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
