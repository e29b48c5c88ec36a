import { expect, test } from 'vitest';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { heldCourses } from '../../../src/sandbox/state/held-products.ts';
import { makeAcademy, rejection, required } from './make-academy.ts';

const details = handlers['students.getStudentDetails'];
const completion = handlers['courses.getCourseCompletion'];

test('students are listed 50 per page', () => {
  const academy = makeAcademy();
  const pages = [{}, { page: 2 }, { page: 3 }].map((input) => handlers['students.listStudents'](input, academy));
  expect(pages.map(({ students }) => students.length)).toEqual([50, 10, 0]);
  for (const { meta } of pages) expect(meta).toEqual({ total_pages: 2, total_students: 60 });
  const ids = pages.flatMap(({ students }) => students.map(({ id }) => id));
  expect(new Set(ids).size).toBe(60);
});

test('details match the email in any case and add counts, paid orders and courses', () => {
  const academy = makeAcademy();
  const student = required(academy.students.get(2));
  const body = details({ email: student.email.toUpperCase() }, academy);
  const paid = academy.orders.ofStudent(2).filter(({ status }) => status === 'paid' || status === 'wallet_executed');
  expect(body).toMatchObject({ id: 2, email: student.email, paying_student: student.paying_student });
  expect(body.total_completion).toBe(body.completion_percent);
  expect(body.paid_orders.map(({ id }) => id)).toEqual(paid.map(({ id }) => id).reverse());
  expect(body.enrolled_courses.map(({ id }) => id)).toEqual(heldCourses(academy, 2));
  expect(body.lesson_completions_count).toBeGreaterThan(0);
  expect(body.lesson_views_count).toBeGreaterThanOrEqual(body.lesson_completions_count);
});

test('an unknown email is 404', () => {
  const academy = makeAcademy();
  const email = 'nobody@example.org';
  expect(rejection(() => details({ email }, academy))).toMatchObject({ status: 404, code: 'not_found' });
  expect(rejection(() => completion({ course_id: 1, user_email: email }, academy))).toMatchObject({ status: 404 });
});

test('the completion of a course counts its published lessons and requires access', () => {
  const academy = makeAcademy();
  const email = 'ada@example.org';
  handlers['access.enrollStudent']({ email, name: 'Ada', course_id: 7 }, academy);
  const { id } = required(academy.students.withEmail(email));
  const published = [...academy.lessons.publishedIds(7)];
  academy.progress.set(id, 7, published.slice(0, 23));
  const percent = Math.floor(2300 / published.length);
  expect(completion({ course_id: 7, user_email: email }, academy)).toMatchObject({
    id,
    completion_percent: percent,
    course_completion_percent: percent,
  });
  expect(completion({ course_id: 1, user_email: email }, academy)).toMatchObject({ course_completion_percent: 0 });
  expect(rejection(() => completion({ course_id: 99, user_email: email }, academy))).toMatchObject({ status: 404 });
});

test('a pending or failed order gives no access', () => {
  const academy = makeAcademy();
  handlers['access.enrollStudent']({ email: 'ada@example.org', name: 'Ada' }, academy);
  const { id } = required(academy.students.withEmail('ada@example.org'));
  const order = required(academy.orders.all()[0]);
  for (const [status, course] of [
    ['pending', 1],
    ['failed', 2],
    ['paid', 3],
    ['wallet_executed', 4],
  ] as const) {
    academy.orders.add({ ...order, student_id: id, status, courses: [course] });
  }
  expect(heldCourses(academy, id)).toEqual([3, 4]);
});

test('completions lists the students who completed every published lesson of their courses', () => {
  const academy = makeAcademy();
  const { students } = handlers['students.listCompletedStudents']({}, academy);
  expect(students.length).toBeGreaterThan(0);
  for (const { email, total_completion } of students) {
    expect(total_completion).toBe(100);
    expect(details({ email }, academy).total_completion).toBe(100);
  }
  const { id, email } = required(students[0]);
  const course_id = required(heldCourses(academy, id)[0]);
  handlers['access.resetCourseProgress']({ email, course_id }, academy);
  const after = handlers['students.listCompletedStudents']({}, academy).students;
  expect(after.map((student) => student.id)).not.toContain(id);
});

test('all answers and project posts are listed, with their authors', () => {
  const academy = makeAcademy();
  const { answers } = handlers['students.listAssignmentAnswers']({}, academy);
  expect(answers).toHaveLength(academy.answers.size);
  for (const { student_id, name, email } of answers) {
    expect(academy.students.get(student_id)).toMatchObject({ name, email });
  }
  const { project_posts } = handlers['students.listProjectPosts']({}, academy);
  expect(project_posts).toHaveLength(academy.projectPosts.size);
  expect(project_posts.length).toBeGreaterThan(0);
});
