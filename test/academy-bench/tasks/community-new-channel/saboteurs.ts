import type { Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const done = 'The channel is open.';
const channel = { name: 'Python Study Group', description: 'Meet on Tuesdays and bring one question!', group_id: 2 };

export const saboteurs: Saboteurs = {
  state: {
    'takes another group': does(done, ['create_channel', { ...channel, group_id: 3 }]),
    'leaves out the description': does(done, ['create_channel', { name: channel.name, group_id: 2 }]),
    'locks it': does(done, ['create_channel', { ...channel, locked: true }]),
    'makes an old channel of it': does(done, [
      'update_channel',
      { id_or_slug: 'python-corner', name: channel.name, description: channel.description },
    ]),
    'adds a second one': also('create_channel', { ...channel, name: 'Python Study Group 2' }),
  },
};
