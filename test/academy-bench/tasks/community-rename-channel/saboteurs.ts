import type { Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

const done = 'It is called Coffee Corner now.';
const fields = { name: 'Coffee Corner', description: 'Anything but courses!' };

export const saboteurs: Saboteurs = {
  state: {
    'claims it': says(done),
    'forgets the description': does(done, ['update_channel', { id_or_slug: 'small-talk', name: fields.name }]),
    'opens a new channel': does(done, ['create_channel', { ...fields, group_id: 5 }]),
    'locks it too': also('update_channel', { id_or_slug: 'small-talk', locked: true }),
  },
};
