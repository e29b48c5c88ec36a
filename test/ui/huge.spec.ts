import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { at } from '../support/academy.ts';
import { addOrder } from '../support/arrange.ts';
import { startCourse } from '../support/course-server.ts';
import { apps, eras } from '../support/eras.ts';
import { startHttp } from '../support/http-server.ts';
import { firstCell } from './buyers.ts';
import { openView } from './host/host.ts';
import { measureScroll } from './measure.ts';
import { agree } from './outline.ts';
import { startServer } from './setup.ts';

const buyers = 5_000;

/** One order for each student. */
function orderForEach(sandbox: Sandbox): void {
  for (const student of sandbox.academy.students.all().slice(0, buyers)) {
    addOrder(sandbox, student, { courses: [1], created_at: Date.now() });
  }
}

test('5,000 buyers load by cursor, sort, filter, copy and scroll', { timeout: 180_000 }, async () => {
  const { client, sandbox } = await startServer({ students: buyers, orders: 1 });
  orderForEach(sandbox);
  const args = { period: 'today', product: '1', product_type: 'course', max_requests: 500 };
  const { frame, calls } = await openView({
    client,
    tool: 'find_buyers',
    args,
    displayMode: 'fullscreen',
  });
  const more = frame.getByRole('button', { name: 'Load more' });
  await more.waitFor();
  while ((await more.count()) > 0) {
    const before = calls.length;
    await more.click();
    await expect.poll(() => calls.length).toBeGreaterThan(before);
    await expect.poll(() => frame.locator('body').getAttribute('aria-busy')).toBe('false');
  }
  const table = frame.getByRole('table');
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe(String(buyers + 1));
  expect(await frame.locator('tbody tr').count()).toBeLessThan(100);
  await frame.getByRole('columnheader', { name: 'Buyer' }).getByRole('button').click();
  const { rows } = await measureScroll(frame);
  expect(rows).toBe(buyers);
  await frame.getByRole('button', { name: 'Copy as CSV' }).click();
  await frame.getByText(/ rows copied$/).waitFor({ state: 'attached' });
  const csv = await frame.page().evaluate(() => navigator.clipboard.readText());
  const emails = csv.split('\r\n').slice(1).map(firstCell);
  expect(new Set(emails).size).toBe(buyers);
  expect(new Set(emails)).toEqual(new Set(sandbox.academy.students.all().map(({ email }) => email)));
  await frame.getByRole('searchbox').fill(String(emails.at(-1)));
  await expect.poll(() => table.getAttribute('aria-rowcount')).toBe('2');
});

test('a course of 500 lessons is shown whole, and one of them moves to another module', async () => {
  const lessons = Array.from({ length: 500 }, (_, index) => ({
    id: 1_000 + index,
    module_id: index % 3 === 0 ? null : 100 + (index % 3),
    title: `Lesson number ${index} with a title of the usual length, and a little more`,
    sequence: index,
    is_published: index % 7 !== 0,
  }));
  const course = await startCourse(lessons);
  const server = await startHttp({}, { baseUrl: course.url });
  const client = await at(eras, 0).connect({ url: server.url }, undefined, apps);
  const { frame, page, calls } = await openView({
    client,
    tool: 'get_course_structure',
    args: { course_id: 14 },
    displayMode: 'fullscreen',
  });
  await expect.poll(() => frame.locator('[data-lesson]').count()).toBe(500);
  await expect.poll(() => frame.locator('.summary').innerText()).toMatch(/^500 lessons/);
  await frame.locator('#move-1499').focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => calls.at(-1)?.name).toBe('plan_course_outline');
  await frame.getByRole('button', { name: 'Discard' }).waitFor();
  await expect.poll(() => frame.getByRole('button', { name: 'Apply', exact: true }).isEnabled()).toBe(true);
  await frame.getByRole('button', { name: 'Apply', exact: true }).click();
  await agree(frame);
  await frame
    .getByText(/^Applied and verified/)
    .first()
    .waitFor();
  expect(course.order().flat()).toHaveLength(500);
  expect(course.order().find((ids) => ids.includes(1_499))?.[0]).toBe(1_499);
});
