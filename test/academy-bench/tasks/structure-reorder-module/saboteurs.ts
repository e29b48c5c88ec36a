import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says('Done.'),
    'moves the last to the front alone': does('Done.', ['update_lesson', { lesson_id: 1177, sequence: 0 }]),
    'takes one out of its module': also('update_lesson', { lesson_id: 1175, module_id: null }),
  },
};
