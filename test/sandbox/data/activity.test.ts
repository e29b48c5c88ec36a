import { expect, test } from 'vitest';
import { type Activity, activities, nextActivity } from '../../../src/sandbox/activities.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { makeAcademy, recordEvents, required } from './make-academy.ts';

/** Runs activities, each through JSON as in a journal. */
function runActivities(academy: Academy, count: number): Activity[] {
  return Array.from({ length: count }, () => {
    const activity: Activity = JSON.parse(JSON.stringify(nextActivity(academy)));
    activities[activity.name](activity.input, academy);
    return activity;
  });
}

test('the activities of one academy can be replayed in a copy, with the same result', () => {
  const [original, copy] = [makeAcademy(), makeAcademy()];
  const emitted = [recordEvents(original), recordEvents(copy)];
  for (const { name, input } of runActivities(original, 100)) activities[name](input, copy);
  expect(emitted[1]).toEqual(emitted[0]);
  expect(nextActivity(copy)).toEqual(nextActivity(original));
  expect(copy.orders.all()).toEqual(original.orders.all());
});

test('completing a course emits course_completed, completing all courses student_completed', () => {
  const academy = makeAcademy();
  const email = 'ada@example.org';
  for (const course_id of [1, 2]) handlers['access.enrollStudent']({ email, name: 'Ada', course_id }, academy);
  const { id } = required(academy.students.withEmail(email));
  const emitted = recordEvents(academy);
  const finish = (course: number) => {
    for (const lesson_id of academy.lessons.publishedIds(course)) {
      activities.lesson_completed({ email, lesson_id }, academy);
    }
  };
  finish(1);
  const done = {
    name: 'course_completed',
    payload: { id, name: 'Ada', email, course_id: 1, course: expect.any(String) },
  };
  expect(emitted).toEqual([done]);
  finish(2);
  expect(emitted.map(({ name }) => name)).toEqual(['course_completed', 'course_completed', 'student_completed']);
  finish(2);
  expect(emitted).toHaveLength(3);
});

test('activity also works in an empty academy', () => {
  const academy = makeAcademy({ students: 0, orders: 0 });
  const emitted = recordEvents(academy);
  runActivities(academy, 20);
  expect(emitted[0]?.name).toBe('new_student');
  expect(academy.orders.size).toBeGreaterThan(0);
});

test('every activity of a student counts as a sign-in; an action of an admin does not', () => {
  const academy = makeAcademy();
  const email = 'ada@example.org';
  handlers['access.enrollStudent']({ email, name: 'Ada', course_id: 1 }, academy);
  const visits = () => required(academy.students.withEmail(email)).sign_in_count;
  expect(visits()).toBe(0);
  activities.lesson_completed({ email, lesson_id: required([...academy.lessons.publishedIds(1)][0]) }, academy);
  expect(visits()).toBe(1);
  activities.answer_submitted({ email, lesson_id: 1001, question: 'Q?', answer: 'A.' }, academy);
  expect(visits()).toBe(2);
  activities.project_posted({ email, project_id: 1, title: 'T', content: 'C' }, academy);
  expect(visits()).toBe(3);
  const nothing = { courses: [], digital_products: [], bundles: [] };
  const terms = { amount: '9.00', currency: 'USD', status: 'paid', description: 'D', ...nothing };
  activities.order_paid({ email, name: 'Ada', ...terms }, academy);
  expect(visits()).toBe(4);
});
