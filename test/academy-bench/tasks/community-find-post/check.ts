import { day, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  says: () => [phrase('Friederike Krüger'), phrase('Freelancers'), day('2026-06-11')],
  reads: () => [
    '/api/v1/community/channels?limit=50',
    ...Array.from({ length: 13 }, (_, index) => {
      const query = 'query=Swiss&created_after=2026-06-01&created_before=2026-07-01';
      return `/api/v1/community/channels/${index + 1}/posts?${query}`;
    }),
  ],
};
