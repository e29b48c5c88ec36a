import type { Check } from '../../task.ts';
import { channelId } from '../../truth.ts';

export const check: Check = {
  writes: (academy) => [
    ['PATCH', `/api/v1/community/channels/${channelId(academy, 'Small Talk')}`, { channel: { locked: true } }],
  ],
  says: () => [],
  forbidden: ([method, path]) => method === 'PATCH' && /13$|archive/.test(path),
  reads: () => ['/api/v1/community/channels?query=Small', '/api/v1/community/channels/12'],
};
