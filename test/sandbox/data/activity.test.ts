import { expect, test } from 'vitest';
import { events } from '../../../src/contract/events.ts';
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

test('activity emits all six events, each as the contract describes it', () => {
  const academy = makeAcademy();
  const emitted = recordEvents(academy);
  runActivities(academy, 250);
  expect(new Set(emitted.map(({ name }) => name))).toEqual(new Set(Object.keys(events)));
  for (const { name, payload } of emitted) {
    const schema = required(Object.entries(events).find(([key]) => key === name))[1];
    expect(schema.parse(payload)).toEqual(payload);
  }
});

test('the activities of one academy can be replayed in a copy, with the same result', () => {
  const [original, copy] = [makeAcademy(), makeAcademy()];
  const emitted = [recordEvents(original), recordEvents(copy)];
  for (const { name, input } of runActivities(original, 100)) activities[name](input, copy);
  expect(emitted[1]).toEqual(emitted[0]);
  expect(nextActivity(copy)).toEqual(nextActivity(original));
  expect(copy.orders.all()).toEqual(original.orders.all());
});

test('nextActivity changes nothing', () => {
  const academy = makeAcademy();
  expect(nextActivity(academy)).toEqual(nextActivity(academy));
  expect(academy.orders.all()).toEqual(makeAcademy().orders.all());
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

test('an invalid input is rejected', () => {
  const academy = makeAcademy();
  expect(() => activities.lesson_completed({ email: 'nobody@example.org', lesson_id: 1001 }, academy)).toThrow();
  expect(() => activities.order_paid({ email: 'nobody@example.org' }, academy)).toThrow();
  expect(academy.activityCount).toBe(0);
});
