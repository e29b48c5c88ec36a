import type { Check } from '../../task.ts';
import { channelId } from '../../truth.ts';

const channel = { name: 'Coffee Corner', description: 'Anything but courses!' };

export const check: Check = {
  writes: (academy) => [['PATCH', `/api/v1/community/channels/${channelId(academy, 'Small Talk')}`, { channel }]],
  says: () => [],
  reads: () => ['/api/v1/community/channels?query=Small'],
};
