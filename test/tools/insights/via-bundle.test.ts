import { expect, test } from 'vitest';
import { row, rows, the } from '../../support/academy.ts';
import { addOrder, newcomer } from '../../support/arrange.ts';
import { startAcademy } from '../../support/connect.ts';
import { requestsOf } from '../../support/refusal.ts';

/** Somebody who bought a bundle of courses once alone, and once beside course 7, which it does not hold. */
async function startWithBeside() {
  const { sandbox, call } = await startAcademy();
  const { bundles } = sandbox.academy.catalogue;
  const bundle = the(bundles.all(), 'bundle without course 7', ({ course_ids }) => !course_ids.includes(7));
  const ina = newcomer(sandbox);
  const courses = [...bundle.course_ids];
  addOrder(sandbox, ina, { bundles: [bundle.id], courses });
  addOrder(sandbox, ina, { bundles: [bundle.id], courses: [7, ...courses] });
  return { call, email: ina.email, title: bundle.title, held: courses[0] };
}

test('via names a bundle for its own courses, and not for a course bought beside it', async () => {
  const { call, email, title, held } = await startWithBeside();
  const viaOf = async (product: unknown) => {
    const { structured } = await call('find_buyers', { product: String(product), product_type: 'course', limit: 500 });
    return the(rows(structured?.buyers), 'order of hers', (buyer) => buyer.email === email).via;
  };
  expect(await viaOf(7)).toBeUndefined();
  expect(await viaOf(held)).toBe(title);

  const profile = await call('student_profile', { email });
  const holds = new Map(rows(profile.structured?.holds).map(({ product, via }) => [product, via]));
  // Her own two orders do not show what the bundle contains.
  expect(holds.get('course 7')).toBe(`perhaps ${title}`);
  expect(holds.get(`course ${held}`)).toBe(`perhaps ${title}`);

  for (const id of [7, held]) {
    const { structured } = await call('diagnose_access', { email, product: String(id), product_type: 'course' });
    expect(rows(structured?.through).every(({ via }) => via === `perhaps ${title}`)).toBe(true);
  }
});

test('via costs no request', async () => {
  const { call } = await startWithBeside();
  const answer = await call('find_buyers', { product: '7', product_type: 'course' });
  expect(requestsOf(answer)).toBe(1 + Number(row(answer.structured?.coverage).pages_read));
});
