import { expect, test } from 'vitest';
import { completeLesson, postInProject, simulateActivity, submitAnswer } from '../../../src/sandbox/activities.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { enrollAda, makeAcademy, recordEvents, required } from './make-academy.ts';

function runActivities(academy: Academy, count: number): void {
  for (let done = 0; done < count; done += 1) simulateActivity(academy);
}

test('the activities of one academy are the same in a copy, with the same result', () => {
  const [original, copy] = [makeAcademy(), makeAcademy()];
  const emitted = [recordEvents(original), recordEvents(copy)];
  for (const academy of [original, copy]) runActivities(academy, 100);
  expect(emitted[1]).toEqual(emitted[0]);
  expect(new Set(emitted[0]?.map(({ name }) => name)).size).toBeGreaterThan(3);
  expect(copy.orders.all()).toEqual(original.orders.all());
});

test('completing a course emits course_completed, completing all courses student_completed', () => {
  const academy = makeAcademy();
  enrollAda(academy, { course_id: 1 });
  const student = enrollAda(academy, { course_id: 2 });
  const { id, email } = student;
  const emitted = recordEvents(academy);
  const finish = (course: number) => {
    for (const lesson of academy.lessons.publishedIds(course)) completeLesson(academy, student, lesson);
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
  const student = enrollAda(academy, { course_id: 1 });
  expect(student.sign_in_count).toBe(0);
  completeLesson(academy, student, required([...academy.lessons.publishedIds(1)][0]));
  expect(student.sign_in_count).toBe(1);
  submitAnswer(academy, student, { lesson_id: 1001, question: 'Q?', answer: 'A.' });
  expect(student.sign_in_count).toBe(2);
  postInProject(academy, student, { project_id: 1, title: 'T', content: 'C' });
  expect(student.sign_in_count).toBe(3);
});
