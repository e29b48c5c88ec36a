import type { Academy } from '../../../../src/sandbox/state/academy.ts';
import { exactly } from '../../facts.ts';
import type { Check } from '../../task.ts';
import { buyers, courseId, ordersOf, person, productNamed, sold } from '../../truth.ts';

const course = 'Watercolour Basics';
const period = { from: '2026-01-01', before: '2026-06-01' };

const buyersOf = (academy: Academy) => buyers(academy, sold(academy, { ...period, course }));

export const check: Check = {
  says: (academy) => {
    const id = courseId(academy, course);
    const published = academy.lessons.publishedIds(id);
    const idle = buyersOf(academy).filter((email) => {
      const done = academy.progress.completed(person(academy, email).id, id);
      return !done.some((lesson) => published.has(lesson));
    });
    return [exactly(academy, idle)];
  },
  reads: (academy) => [
    productNamed(course),
    ...ordersOf(period.from, period.before),
    ...buyersOf(academy).map(
      (user_email) => ['POST', '/api/v1/courses/6/completion-percentage', { user_email }] as const,
    ),
  ],
};
