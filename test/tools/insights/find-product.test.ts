import { expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.ts';
import { type Row, row } from '../../support/academy.ts';
import { startAcademy } from '../../support/connect.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';

/** A further course, like course 8 but for this. */
function addCourse({ academy: { catalogue } }: Sandbox, id: number, title: string, slug = `slug-${id}`): void {
  const like = catalogue.courses.get(8);
  if (like !== undefined) catalogue.courses.add({ ...like, id, title, slug });
}

/** More courses than a search gives at once. */
function addLevels(sandbox: Sandbox, first: number, name: string): void {
  for (let level = 0; level < 30; level += 1) addCourse(sandbox, first + level, `${name} level ${level}`);
}

async function startWithFind() {
  const { sandbox, call } = await startAcademy();
  const find = (product: string, more: Row = {}) => call('find_buyers', { product, limit: 1, ...more });
  const meant = async (product: string, more: Row = {}) => {
    const { structured, text } = await find(product, more);
    return row(structured?.product ?? { text });
  };
  return { sandbox, call, find, meant };
}

test('an exact title wins, however many other titles contain it', async () => {
  const { sandbox, call, meant } = await startWithFind();
  addLevels(sandbox, 100, 'Yoga');
  addCourse(sandbox, 200, 'Yoga');
  expect(await meant('yoga')).toEqual({ product_type: 'course', id: 200, title: 'Yoga' });
  expect(await meant('Yoga', { product_type: 'course' })).toMatchObject({ id: 200 });
  const { structured } = await call('sales_report', { product: 'Yoga' });
  expect(structured?.product).toMatchObject({ id: 200 });
});

test('a title of two products is ambiguous, even if the search returns only one', async () => {
  const { sandbox, find } = await startWithFind();
  addCourse(sandbox, 300, 'Zumba', 'zumba-morning');
  addLevels(sandbox, 301, 'Zumba');
  addCourse(sandbox, 400, 'Zumba', 'zumba-evening');
  const text = expectRefusal(await find('Zumba'), 'ambiguous_product');
  expect(text).toContain('matches 2 products: course 300 "Zumba" (zumba-morning); course 400 "Zumba"');
});

test('digits that are the id of one product and the slug or title of another are ambiguous, and a type makes them an id', async () => {
  const { sandbox, find, meant } = await startWithFind();
  addCourse(sandbox, 500, 'Eleven Songs', '11');
  addCourse(sandbox, 501, '  600 ');
  addCourse(sandbox, 600, 'Another');
  const bySlug = expectRefusal(await find('11'), 'ambiguous_product');
  expect(bySlug).toContain('course 11 ');
  expect(bySlug).toContain('course 500 "Eleven Songs" (11)');
  const byTitle = expectRefusal(await find('600'), 'ambiguous_product');
  expect(byTitle).toContain('course 501');
  expect(byTitle).toContain('course 600 "Another"');
  expect(await meant('11', { product_type: 'course' })).toMatchObject({ id: 11 });
  expect(await meant('eleven songs')).toMatchObject({ id: 500 });
});

test('a challenge is found if asked for as a course, and a course as a challenge, and each keeps its own type', async () => {
  const { meant } = await startWithFind();
  expect(await meant('Thirty Days of Drawing')).toMatchObject({ product_type: 'challenge', id: 13 });
  for (const product_type of ['course', 'challenge']) {
    expect(await meant('Thirty Days of Drawing', { product_type })).toMatchObject({
      product_type: 'challenge',
      id: 13,
    });
    expect(await meant('13', { product_type })).toMatchObject({ product_type: 'challenge', id: 13 });
    expect(await meant('Data Analysis with SQL', { product_type })).toMatchObject({ product_type: 'course', id: 7 });
  }
});

test('a challenge has the type challenge and one id in each tool that names its type, also in a further part', async () => {
  const { call } = await startAcademy();
  const challenge = { product_type: 'challenge', id: 13 };
  const typed = async (name: string, given: Row) => {
    const { structured = {}, text } = await call(name, given);
    expect(text).toMatch(/challenge 13/i);
    return structured;
  };
  expect(await typed('get_course', { course_id: 13 })).toMatchObject(challenge);
  expect((await typed('get_course_structure', { course_id: 13 })).course).toMatchObject(challenge);
  const plan = await typed('plan_course_outline', { course_id: 13, moves: [] });
  expect(plan).toMatchObject({ product_type: 'challenge', course_id: 13 });
  const first = await typed('course_progress', { course_id: 13, limit: 1 });
  expect(first.product).toMatchObject(challenge);
  const next = await typed('course_progress', { course_id: 13, limit: 1, cursor: first.next_cursor });
  expect(next.product).toMatchObject(challenge);
  expect((await typed('find_buyers', { product: '13', product_type: 'course' })).product).toMatchObject(challenge);
  const asked = { email: 'freya.hargreaves@example.net', product: '13', product_type: 'course' };
  expect((await typed('diagnose_access', asked)).product).toMatchObject(challenge);
});

test('an unpublished product is found by title if the search returns it, and always by id', async () => {
  const { sandbox, find, meant } = await startWithFind();
  addCourse(sandbox, 700, 'Pilates');
  const pilates = sandbox.academy.catalogue.courses.get(700);
  if (pilates !== undefined) pilates.is_published = false;
  expect(await meant('Pilates')).toMatchObject({ id: 700 });
  addLevels(sandbox, 701, 'Gym');
  addCourse(sandbox, 750, 'Gym');
  const gym = sandbox.academy.catalogue.courses.get(750);
  if (gym !== undefined) gym.is_published = false;
  expect(expectRefusal(await find('Gym'), 'ambiguous_product')).toContain(' and more');
  expect(await meant('750', { product_type: 'course' })).toMatchObject({ id: 750, title: 'Gym' });
});

test('each tool finds a product by the name that answers give it, such as course 7', async () => {
  const { call } = await startAcademy();
  const course = { product_type: 'course', id: 7 };
  for (const name of ['find_buyers', 'sales_report', 'unpaid_orders', 'diagnose_access']) {
    const who = name === 'diagnose_access' ? { email: 'freya.hargreaves@example.net' } : {};
    const product = async (given: Row) => (await call(name, { ...who, ...given })).structured?.product;
    expect(await product({ product: 'course 7' })).toMatchObject(course);
    expect(await product({ product: 'course 7', product_type: 'course' })).toMatchObject(course);
    expect(await product({ product: 'bundle 3' })).toMatchObject({ product_type: 'bundle', id: 3 });
    expectRefusal(await call(name, { ...who, product: 'course 7', product_type: 'bundle' }), 'not_found');
  }
});

test('looking a product up counts as a request, and one page is still read', async () => {
  const { find } = await startWithFind();
  const answer = await find('Data Analysis with SQL', { product_type: 'course', max_requests: 1 });
  expect(requestsOf(answer)).toBe(3);
  expect(answer.structured?.coverage).toMatchObject({ pages_read: 1, requests_spent: 3 });
  const wider = await find('Data Analysis with SQL', { max_requests: 3 });
  expect(requestsOf(wider)).toBeLessThanOrEqual(3);
});
