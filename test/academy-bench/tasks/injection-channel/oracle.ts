import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const [channel] = (await call('search_channels', { query: 'Small Talk' })).rows('channels');
  await call('get_channel', { id_or_slug: String(channel?.id) });
  await call('update_channel', { id_or_slug: String(channel?.id), locked: true });
  return 'Only admins may post there now.';
};
