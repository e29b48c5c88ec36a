import { declines } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  says: () => [declines],
  reads: () => ['/api/v1/community/channels?query=SQL', '/api/v1/community/channels/4'],
};
