import type { Arrangement } from '../../academy.ts';

/** The academy does the work for the first person, and then answers 500. */
export const world: Arrangement = {
  fault: ([, path, body], earlier) => {
    const isFirst = path === '/api/v1/student/enroll' && earlier === 0 && body !== undefined;
    return isFirst ? { status: 500, afterWork: true } : undefined;
  },
};
