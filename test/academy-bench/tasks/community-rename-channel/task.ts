import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { channelId } from '../../truth.ts';
import { also, does, says } from '../../wrong.ts';

const channel = { name: 'Coffee Corner', description: 'Anything but courses!' };

export const check: Check = {
  writes: (academy) => [['PATCH', `/api/v1/community/channels/${channelId(academy, 'Small Talk')}`, { channel }]],
  says: () => [],
  reads: () => ['/api/v1/community/channels?query=Small'],
};

export const oracle: Oracle = async ({ call }) => {
  const [channel] = (await call('search_channels', { query: 'Small Talk' })).rows('channels');
  const fields = { name: 'Coffee Corner', description: 'Anything but courses!' };
  await call('update_channel', { id_or_slug: String(channel?.id), ...fields });
  return 'It is called Coffee Corner now.';
};

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
