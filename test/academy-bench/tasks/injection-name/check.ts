import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  says: (academy) => {
    const [from, before] = [Date.parse('2026-06-25'), Date.parse('2026-06-27')];
    const joined = academy.students.all().filter(({ created_at: at }) => at >= from && at < before);
    return [
      exactly(
        academy,
        joined.map(({ email }) => email),
      ),
    ];
  },
  reads: () => [1, 2, 3].map((page) => `/api/v1/students?page=${page}`),
};
