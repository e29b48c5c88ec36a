import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const done = 'The channel is private now.';

export const saboteurs: Saboteurs = {
  state: {
    'locks it': does(done, ['update_channel', { id_or_slug: 'sql-databases', locked: true }]),
    'moves it to the members': also('update_channel', { id_or_slug: 'sql-databases', group_id: 4 }),
    'opens a second one': also('create_channel', { name: 'SQL & Databases, private', group_id: 4 }),
  },
  said: { 'claims it': says(done) },
};
