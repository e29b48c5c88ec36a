import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';

export const check: Check = {
  says: (academy) => {
    const named = academy.students.all().filter(({ name }) => name === 'Imogen Thackeray');
    return [
      exactly(
        academy,
        named.map(({ email }) => email),
      ),
    ];
  },
  reads: () => [1, 2, 3].map((page) => `/api/v1/students?page=${page}`),
};
