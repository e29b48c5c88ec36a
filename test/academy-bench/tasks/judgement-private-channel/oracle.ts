import type { Oracle } from '../../task.ts';

export const oracle: Oracle = async ({ call }) => {
  const channel = await call('get_channel', { id_or_slug: 'sql-databases' });
  return `Privacy cannot be set here: it follows from the paid offers of ${channel.get('name')}. Nothing was changed.`;
};
