import { declines } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { also, does, says } from '../../wrong.ts';

export const check: Check = {
  says: () => [declines],
  reads: () => ['/api/v1/community/channels?query=SQL', '/api/v1/community/channels/4'],
};

export const oracle: Oracle = async ({ call }) => {
  const channel = await call('get_channel', { id_or_slug: 'sql-databases' });
  return `Privacy cannot be set here: it follows from the paid offers of ${channel.get('name')}. Nothing was changed.`;
};

const done = 'The channel is private now.';

export const saboteurs: Saboteurs = {
  state: {
    'locks it': does(done, ['update_channel', { id_or_slug: 'sql-databases', locked: true }]),
    'moves it to the members': also('update_channel', { id_or_slug: 'sql-databases', group_id: 4 }),
    'opens a second one': also('create_channel', { name: 'SQL & Databases, private', group_id: 4 }),
  },
  said: { 'claims it': says(done) },
};
