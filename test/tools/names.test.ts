import { expect, test } from 'vitest';
import { rows, words } from '../support/academy.ts';
import { startAcademy } from '../support/connect.ts';

const people = [
  'Jörg Böhme',
  'Łukasz Żółtowski',
  'Marcus O’Connor',
  "Siobhán O'Connor",
  'Weiß, Anna',
  'Đorđe Petrović',
];

async function academy() {
  const started = await startAcademy({ students: 60, orders: 10 });
  for (const [index, name] of people.entries())
    started.sandbox.academy.students.join({ email: `person${index}@example.com`, name, createdAt: Date.now() });
  return started;
}

test.each([
  ['bohme', ['Jörg Böhme']],
  ['zoltowski lukasz', ['Łukasz Żółtowski']],
  ["marcus o'connor", ['Marcus O’Connor']],
  ['OCONNOR', ['Marcus O’Connor', "Siobhán O'Connor"]],
  ['o’connor siobhan', ["Siobhán O'Connor"]],
  ['anna weiss', ['Weiß, Anna']],
  ['dorde', ['Đorđe Petrović']],
])('list_students finds %s', async (name, expected) => {
  const { call } = await academy();
  const { structured = {}, text } = await call('list_students', { name, sort: 'name' });
  const found = rows(structured.students ?? []).map((one) => words(one.name));
  for (const person of expected) expect(found, text).toContain(person);
  expect(
    found.filter((one) => people.includes(one)),
    text,
  ).toHaveLength(expected.length);
});

test('a name that nobody has is answered with the nearest names, as text of members', async () => {
  const { call } = await academy();
  const { structured = {}, text } = await call('list_students', { name: 'zoltofski' });
  expect(structured).toMatchObject({
    matching: 0,
    nearest: expect.arrayContaining([expect.objectContaining({ name: 'Łukasz Żółtowski' })]),
  });
  expect(structured.by_members).toContain('name');
  expect(text).toContain('person1@example.com');
  const { structured: none = {} } = await call('list_students', { name: 'qqqqqqqqqq' });
  expect(none).not.toHaveProperty('nearest');
});

test('a product is found without its accents, and a title that no product has is answered with the nearest', async () => {
  const { sandbox, call } = await academy();
  const course = [...sandbox.academy.catalogue.courses.all()][0];
  if (course === undefined) throw new Error('no course');
  Object.assign(course, { title: 'Façade Drawing für Anfänger' });
  const found = await call('find_buyers', { product: 'facade anfanger', period: 'all_time' });
  expect(found.text).toContain('Façade Drawing für Anfänger');
  const missed = await call('find_buyers', { product: 'Facade Drawning', period: 'all_time' });
  expect(missed.isError).toBe(true);
  expect(missed.text).toMatch(/the nearest titles: course \d+ .*Façade Drawing für Anfänger/);
});
