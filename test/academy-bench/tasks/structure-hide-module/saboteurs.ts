import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const done = 'All seven are offline.';

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'hides six of seven': does(
      done,
      ...[1290, 1291, 1292, 1293, 1294, 1295].map(
        (lesson_id) => ['update_lesson', { lesson_id, is_published: false }] as const,
      ),
    ),
    'hides the whole challenge': also('update_product', {
      product_type: 'challenge',
      id_or_slug: '13',
      is_published: false,
    }),
    'hides a lesson of another week': also('update_lesson', { lesson_id: 1289, is_published: false }),
  },
};
