import { expect, test } from 'vitest';
import { activities } from '../../../src/sandbox/activities.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { makeAcademy, required } from './make-academy.ts';

test('students with lesson views, answers or posts have signed in, and more often with many views', () => {
  const academy = makeAcademy({ students: 500, orders: 2000 });
  const learners = academy.students.all().filter(({ lesson_views_count }) => lesson_views_count > 0);
  expect(learners.length).toBeGreaterThan(100);
  for (const { lesson_views_count, sign_in_count } of learners) {
    expect(sign_in_count).toBeGreaterThanOrEqual(Math.ceil(lesson_views_count / 6));
  }
  const members = new Set(
    academy.students
      .all()
      .filter(({ sign_in_count }) => sign_in_count > 0)
      .map(({ name }) => name),
  );
  const authors = [...academy.community.posts.values()].flatMap((posts) =>
    posts.all().map(({ author }) => author.name),
  );
  for (const author of authors) expect(members).toContain(author);
  expect(academy.students.all().some(({ sign_in_count }) => sign_in_count === 0)).toBe(true);
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
