import type { Check } from '../../task.ts';
import { access } from '../../truth.ts';

const email = 'harvey.begum@example.org';

export const check: Check = {
  writes: () => [access('grant-role', { email, role_id: 1 }), access('revoke-role', { email, role_id: 3 })],
  says: () => [],
  reads: () => ['/api/v1/courses/roles'],
};
