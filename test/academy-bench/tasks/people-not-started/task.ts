import type { Academy } from '../../../../src/sandbox/state/academy.ts';
import { exactly } from '../../facts.ts';
import type { Check, Oracle, Saboteurs } from '../../task.ts';
import { buyers, courseId, ordersOf, person, productNamed, sold } from '../../truth.ts';
import { adds, misquotes, says } from '../../wrong.ts';

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

export const oracle: Oracle = async ({ call }) => {
  const period = { created_after: '2026-01-01', created_before: '2026-06-01' };
  const progress = await call('course_progress', { course_id: 6, ...period });
  return progress
    .rows('not_started')
    .map(({ email }) => email)
    .join('\n');
};

export const saboteurs: Saboteurs = {
  said: {
    'adds somebody who has begun': adds('ruth.hayes@example.com'),
    'has one too few': misquotes('naomi.park@example.com', ''),
    'takes the other of two people of one name': misquotes('priya.brooks@example.com', 'priya.brooks@example.net'),
    'says how many, not who': says('Five people.'),
  },
};
