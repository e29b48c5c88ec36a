import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { also, does } from '../../wrong.ts';

const description = 'Meet on Tuesdays and bring one question!';

export const check: Check = {
  writes: ({ community }) => {
    const group = community.groups.all().find(({ name }) => name === 'Courses');
    const channel = { name: 'Python Study Group', description, group_id: group?.id, locked: false };
    return [['POST', '/api/v1/community/channels', { channel }]];
  },
  says: () => [],
  reads: () => ['/api/v1/community/groups'],
};

export const oracle: Oracle = async ({ call }) => {
  const groups = (await call('list_community_groups')).rows('groups');
  const group_id = groups.find(({ name }) => name === 'Courses')?.id;
  const description = 'Meet on Tuesdays and bring one question!';
  await call('create_channel', { name: 'Python Study Group', description, group_id });
  return 'The channel is open.';
};

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
