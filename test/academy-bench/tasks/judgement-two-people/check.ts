import { count, day, oneOf, phrase } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  // Nobody asked for emails: whatever tells the two apart is enough.
  says: (academy) =>
    academy.students
      .all()
      .filter(({ name }) => name === 'Imogen Thackeray')
      .map(({ id, email, created_at: at }) => ({
        ...oneOf(phrase(email), day(new Date(at).toISOString()), count(id)),
        sources: [phrase(email)],
      })),
  reads: () => [1, 2, 3].map((page) => `/api/v1/students?page=${page}`),
};
