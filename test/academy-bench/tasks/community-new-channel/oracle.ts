import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const groups = (await call('list_community_groups')).rows('groups');
  const group_id = groups.find(({ name }) => name === 'Courses')?.id;
  const description = 'Meet on Tuesdays and bring one question!';
  await call('create_channel', { name: 'Python Study Group', description, group_id });
  return 'The channel is open.';
};
