import { expect, test } from 'vitest';
import { events } from '../../../src/contract/events.ts';
import { type Activity, activities, nextActivity } from '../../../src/sandbox/activity/activities.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { listen, makeAcademy, the } from './make-academy.ts';

/** Lets things happen, by way of JSON as a journal would keep them. */
function live(academy: Academy, count: number): Activity[] {
  return Array.from({ length: count }, () => {
    const activity: Activity = JSON.parse(JSON.stringify(nextActivity(academy)));
    activities[activity.name](activity.input, academy);
    return activity;
  });
}

test('life in an academy brings all six events, each as the contract has it', () => {
  const academy = makeAcademy();
  const heard = listen(academy);
  live(academy, 250);
  expect(new Set(heard.map(({ name }) => name))).toEqual(new Set(Object.keys(events)));
  for (const { name, payload } of heard) {
    const schema = the(Object.entries(events).find(([key]) => key === name))[1];
    expect(schema.parse(payload)).toEqual(payload);
  }
});

test('what happened can be done once more in a copy, with the same result', () => {
  const [original, copy] = [makeAcademy(), makeAcademy()];
  const heard = [listen(original), listen(copy)];
  for (const { name, input } of live(original, 100)) activities[name](input, copy);
  expect(heard[1]).toEqual(heard[0]);
  expect(nextActivity(copy)).toEqual(nextActivity(original));
  expect(copy.orders.all()).toEqual(original.orders.all());
});

test('asking what happens next changes nothing', () => {
  const academy = makeAcademy();
  expect(nextActivity(academy)).toEqual(nextActivity(academy));
  expect(academy.orders.all()).toEqual(makeAcademy().orders.all());
});

test('the last lesson of a course emits course_completed, that of the last course student_completed', () => {
  const academy = makeAcademy();
  const email = 'ada@example.org';
  for (const course_id of [1, 2]) handlers['access.enrollStudent']({ email, name: 'Ada', course_id }, academy);
  const { id } = the(academy.students.withEmail(email));
  const heard = listen(academy);
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
  expect(heard).toEqual([done]);
  finish(2);
  expect(heard.map(({ name }) => name)).toEqual(['course_completed', 'course_completed', 'student_completed']);
  finish(2);
  expect(heard).toHaveLength(3);
});

test('an empty academy comes to life', () => {
  const academy = makeAcademy({ students: 0, orders: 0 });
  const heard = listen(academy);
  live(academy, 20);
  expect(heard[0]?.name).toBe('new_student');
  expect(academy.orders.size).toBeGreaterThan(0);
});

test('an input that nobody drew is refused', () => {
  const academy = makeAcademy();
  expect(() => activities.lesson_completed({ email: 'nobody@example.org', lesson_id: 1001 }, academy)).toThrow();
  expect(() => activities.order_paid({ email: 'nobody@example.org' }, academy)).toThrow();
  expect(academy.activityCount).toBe(0);
});
