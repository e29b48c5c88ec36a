import { count, day, oneOf, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  // Nobody asked for emails: whatever tells the two apart is enough.
  says: ({ students }) => {
    const named = students.all().filter(({ name }) => name === 'Imogen Thackeray');
    return named.map(({ id, email, created_at: at }) => {
      const ways = [phrase(email), day(new Date(at).toISOString()), count(id)];
      return { ...oneOf(...ways), sources: [phrase(email)] };
    });
  },
  reads: () => [1, 2, 3].map((page) => `/api/v1/students?page=${page}`),
};
