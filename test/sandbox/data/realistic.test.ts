import { expect, test } from 'vitest';
import { orderStatuses } from '../../../src/contract/orders.ts';
import { simulateActivity } from '../../../src/sandbox/activities.ts';
import { billingOf } from '../../../src/sandbox/seed/pick.ts';
import { texts } from '../../../src/sandbox/seed/texts.ts';
import type { Academy } from '../../../src/sandbox/state/academy.ts';
import { sortBySequence } from '../../../src/sandbox/state/lessons.ts';
import { makeAcademy, required, seededUntil } from './make-academy.ts';

const day = 86_400_000;
/** No test changes it. */
const large = makeAcademy({ students: 1500, orders: 8000 });

test('orders have all four statuses, and nine in ten are paid', () => {
  const orders = large.orders.all();
  const share = (status: string) => orders.filter((order) => order.status === status).length / orders.length;
  for (const status of orderStatuses) expect(share(status)).toBeGreaterThan(0.01);
  expect(share('paid')).toBeGreaterThan(0.87);
  expect(share('paid')).toBeLessThan(0.94);
});

test('orders cover two years up to now, and about one in 27 is from the last week', () => {
  const orders = large.orders.all();
  const times = orders.map(({ created_at }) => created_at);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(seededUntil.getTime() - 730 * day);
  expect(Math.min(...times)).toBeLessThan(seededUntil.getTime() - 720 * day);
  expect(Math.max(...times)).toBeLessThanOrEqual(seededUntil.getTime());
  const lastWeek = times.filter((time) => time >= seededUntil.getTime() - 7 * day).length;
  expect(lastWeek / orders.length).toBeGreaterThan(0.03);
  expect(lastWeek / orders.length).toBeLessThan(0.045);
});

test('an order of amount 0 is paid and described as granted access', () => {
  const orders = large.orders.all();
  const free = orders.filter(({ amount }) => Number(amount) === 0);
  expect(new Set(free.map(({ amount }) => amount))).toEqual(new Set(['0', '0.00']));
  for (const order of free) {
    expect(order.status).toBe('paid');
    expect(order.description).toMatch(/^Granted access: ./);
  }
});

test('an order of a bundle lists the courses and digital products of the bundle', () => {
  const orders = large.orders.all();
  const ofBundles = orders.filter(({ bundles }) => bundles.length > 0);
  expect(ofBundles.length).toBeGreaterThan(100);
  for (const order of ofBundles) {
    const carried = order.bundles.flatMap((id) => large.catalogue.bundles.get(id) ?? []);
    expect(order.courses).toEqual(expect.arrayContaining(carried.flatMap((bundle) => bundle.course_ids)));
    expect(order.digital_products).toEqual(
      expect.arrayContaining(carried.flatMap((bundle) => bundle.digital_product_ids)),
    );
  }
});

test('students buy only after joining, and only published courses', () => {
  const orders = large.orders.all();
  for (const order of orders) {
    expect(order.created_at).toBeGreaterThanOrEqual(large.students.get(order.student_id)?.created_at ?? Infinity);
  }
  const sold = new Set(orders.flatMap(({ courses }) => courses));
  expect([...sold].every((id) => large.catalogue.courses.get(id)?.is_published)).toBe(true);
});

test('some orders have several products, some buyers several orders, and most pay in the account currency', () => {
  const orders = large.orders.all();
  expect(orders.some(({ bundles, courses }) => bundles.length === 0 && courses.length > 1)).toBe(true);
  expect(large.students.all().some(({ id }) => large.orders.ofStudent(id).length > 4)).toBe(true);
  const currencies = new Set(orders.map(({ currency }) => currency));
  expect(currencies.size).toBeGreaterThan(2);
  expect(orders.filter(({ currency }) => currency === 'USD').length).toBeGreaterThan(orders.length / 2);
  for (const { amount } of orders) expect(amount).toMatch(/^\d+(\.\d{2})?$/);
});

test('some emails have capitals, and some differ in case between student and order', () => {
  const orders = large.orders.all();
  const emails = large.students.all().map(({ email }) => email);
  expect(emails.some((email) => email !== email.toLowerCase())).toBe(true);
  expect(new Set(emails.map((email) => email.toLowerCase())).size).toBe(emails.length);
  const typed = orders.map((order) => [order.user_email, large.students.get(order.student_id)?.email ?? '']);
  expect(typed.some(([inOrder, ofStudent]) => inOrder !== ofStudent)).toBe(true);
  expect(typed.every(([inOrder = '', ofStudent = '']) => inOrder.toLowerCase() === ofStudent.toLowerCase())).toBe(true);
  for (const email of emails) expect(email).toMatch(/@([a-z]+\.)?example\.(com|org|net)$/i);
});

test('there are 12 courses and 3 challenges of 3 to 8 modules and 15 to 48 lessons, some of each unpublished', () => {
  const courses = large.catalogue.courses.all();
  expect(courses.filter((course) => course.is_challenge)).toHaveLength(3);
  expect(courses).toHaveLength(15);
  for (const is_challenge of [true, false]) {
    const drafts = courses.filter((course) => course.is_challenge === is_challenge && !course.is_published);
    expect(drafts.length).toBeGreaterThan(0);
  }
  for (const { id } of courses) {
    expect(large.lessons.modulesOf(id).length).toBeGreaterThanOrEqual(3);
    expect(large.lessons.modulesOf(id).length).toBeLessThanOrEqual(8);
    expect(large.lessons.ofCourse(id).length).toBeGreaterThanOrEqual(15);
    expect(large.lessons.ofCourse(id).length).toBeLessThanOrEqual(48);
    expect(large.lessons.siblings(id, null).length).toBeGreaterThan(0);
  }
});

test('some sequences have gaps, and some lessons are unpublished', () => {
  const lists = large.catalogue.courses
    .all()
    .flatMap(({ id }) => large.lessons.modulesOf(id).map((module) => large.lessons.siblings(id, module.id)));
  const isGapless = (sequences: number[]) =>
    sequences.every((sequence, index) => sequence === (sequences[0] ?? 0) + index);
  const gapless = lists.filter((lessons) => isGapless(lessons.map(({ sequence }) => sequence)));
  expect(gapless.length).toBeGreaterThan(lists.length / 2);
  expect(gapless.length).toBeLessThan(lists.length);
  for (const lessons of lists) expect(sortBySequence([...lessons])).toEqual(lessons);
  expect(large.lessons.all().some((lesson) => !lesson.is_published)).toBe(true);
});

test('seeded texts contain no identifiers of the code', () => {
  const { catalogue, students, key } = large;
  const titles = [...catalogue.courses.all(), ...catalogue.bundles.all(), ...catalogue.digitalProducts.all()];
  const companies = students.all().flatMap(({ id }) => billingOf(key, id).billing_company ?? []);
  expect(companies.length).toBeGreaterThan(0);
  for (const text of [...titles.map(({ title }) => title), ...companies])
    expect(text).not.toMatch(/\b[A-Z]?[a-z]+[A-Z][a-z]/);
});

test('posts vary: long ones, several lines, links, emoji, other scripts, and prompt injections', () => {
  const { posts } = large.community;
  const texts = posts.map(({ content }) => content);
  for (const mark of [/[\s\S]{700}/, /\n/, /https:\/\/example\./, /\p{Extended_Pictographic}/u, /\p{Script=Han}/u]) {
    expect(texts.some((text) => mark.test(text))).toBe(true);
  }
  const forMachines = texts.filter((text) => /previous instructions|<system>|AI assistants/.test(text));
  expect(forMachines.length).toBeGreaterThan(0);
  expect(forMachines.length).toBeLessThan(texts.length / 20);
  expect(posts.some(({ published_at }) => published_at === null)).toBe(true);
  expect(posts.some(({ updated_at, created_at }) => updated_at > created_at)).toBe(true);
});

test('authors of answers completed the lesson, authors of project posts have the course', () => {
  expect(large.answers.size).toBeGreaterThan(50);
  for (const { student_id, lesson_id } of large.answers.all()) {
    const courseId = large.lessons.get(lesson_id)?.course_id ?? 0;
    expect(large.progress.completed(student_id, courseId)).toContain(lesson_id);
  }
  expect(large.projectPosts.size).toBeGreaterThan(20);
  for (const { student_id, project_id } of large.projectPosts.all()) {
    const held = large.orders.ofStudent(student_id).flatMap(({ courses }) => courses);
    expect(held).toContain(large.catalogue.projects.get(project_id)?.course_id);
  }
});

/** An academy with many contributions, some of them after the seed. */
function makeBusy(): Academy {
  const academy = makeAcademy({ students: 600, orders: 3000 });
  for (let count = 0; count < 300; count += 1) simulateActivity(academy);
  return academy;
}

const busy = makeBusy();

/** Han characters, kana, Cyrillic, or a letter that English does not have. */
const notEnglish = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Cyrillic}çãõéêàüößłść]/u;

test('an answer fits its question and the course of its lesson', () => {
  for (const { question, answer, lesson_id } of busy.answers.all()) {
    if (texts.answersForMachines.includes(answer)) continue;
    const { answers } = required(texts.assignments.find((assignment) => assignment.question === question));
    const { about } = required(answers.find(({ text }) => text === answer));
    if (about !== undefined) expect(busy.lessons.get(lesson_id)?.course_id).toBe(about);
  }
});

test('a project post fits its project', () => {
  for (const { title, content, project_id } of busy.projectPosts.all()) {
    if (texts.projectPostsForMachines.some(({ text }) => text === content)) continue;
    const post = required(texts.projectPosts.find((known) => known.title === title && known.text === content));
    expect([undefined, project_id]).toContain(post.about);
  }
});

test('texts in other languages than English come only from authors located in their countries', () => {
  const written = [
    ...busy.answers.all().map((row) => ({ ...row, text: row.answer })),
    ...busy.projectPosts.all().map((row) => ({ ...row, text: row.content })),
  ].filter(({ text }) => notEnglish.test(text) && !texts.answersForMachines.includes(text));
  expect(written.length).toBeGreaterThan(10);
  for (const { text, student_id } of written) {
    const location = busy.students.get(student_id)?.location ?? '';
    expect(location, text).toMatch(/, (Brazil|Germany|France|Japan|Ukraine|Poland)$/);
    if (/\p{Script=Hiragana}/u.test(text)) expect(location).toMatch(/, Japan$/);
    if (/\p{Script=Cyrillic}/u.test(text)) expect(location).toMatch(/, Ukraine$/);
  }
});
