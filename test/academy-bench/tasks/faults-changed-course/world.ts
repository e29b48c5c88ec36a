import type { Arrangement } from '../../academy.ts';

/** The colleague renames a lesson and hides another, after the course was read once or before the first write. */
export const world: Arrangement = {
  others: {
    when: ([method, path], earlier) => method !== 'GET' || (path.endsWith('/courses/8/lessons') && earlier > 0),
    writes: [
      ['PATCH', '/api/v1/lessons/1165', { title: 'Baking in a pot, step by step' }],
      ['PATCH', '/api/v1/lessons/1164', { is_published: false }],
    ],
  },
};
