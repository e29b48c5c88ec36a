import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [channel] = (await call('search_channels', { query: 'Small Talk' })).rows('channels');
  const fields = { name: 'Coffee Corner', description: 'Anything but courses!' };
  await call('update_channel', { id_or_slug: String(channel?.id), ...fields });
  return 'It is called Coffee Corner now.';
};
