import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import {
  academy,
  copiedRows,
  everyone,
  firstCell,
  names,
  openBuyers,
  ordersOf,
  rowsInSight,
  type Shown,
  toEnd,
} from './buyers.ts';
import { openView } from './host/host.ts';
import { startServer } from './setup.ts';

test('shows the buyers and totals of the answer within 500 pixels, where the rows scroll', async () => {
  const { frame, answer, heights } = await openBuyers();
  const { totals, buyers } = answer;
  const [currency = '', sum = ''] = at(Object.entries(totals.order_total), 0);
  const summary = await frame.locator('.summary').innerText();
  expect(summary).toContain(`${totals.buyers} buyers`);
  expect(summary.replaceAll(',', '')).toContain(`${sum} ${currency}`);
  const all = buyers.map(({ name, email }) => name || email);
  const first = await names(frame);
  expect(first).toEqual(all.slice(0, first.length));
  await toEnd(frame);
  await expect.poll(async () => (await names(frame)).at(-1)).toBe(all.at(-1));
  const last = await names(frame);
  expect(last).toEqual(all.slice(-last.length));
  expect(await frame.getByRole('table').getAttribute('aria-rowcount')).toBe(String(all.length + 1));
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
});

test('sorts by a column, with the mouse and with the keyboard', async () => {
  const { frame, answer } = await openBuyers();
  const expected = answer.buyers.toSorted((one, other) => ordersOf(one) - ordersOf(other));
  const heading = frame.getByRole('columnheader', { name: 'Orders' });
  await heading.getByRole('button').click();
  expect(await heading.getAttribute('aria-sort')).toBe('ascending');
  const first = frame.locator('tbody tr:first-child td:nth-child(2)');
  await expect.poll(() => first.innerText()).toBe(String(ordersOf(at(expected, 0))));
  await frame.page().keyboard.press('Enter');
  expect(await heading.getAttribute('aria-sort')).toBe('descending');
  await expect.poll(() => first.innerText()).toMatch(new RegExp(`^${expected.at(-1)?.orders ?? 1}\\b`));
});

test('filters by name and email, and says that nothing matches', async () => {
  const { frame, answer } = await openBuyers();
  const { email, name } = at(answer.buyers, 7);
  const filter = frame.getByRole('searchbox');
  await filter.fill(email.toUpperCase());
  expect(await names(frame)).toEqual([name || email]);
  await filter.fill('nobody has this name');
  await expect.poll(() => frame.locator('tbody').innerText()).toBe('No buyer matches.');
});

test('copies the rows as CSV, as they are filtered and sorted', async () => {
  const { frame, page, answer } = await openBuyers();
  await frame.getByRole('button', { name: 'Copy as CSV' }).click();
  await frame.getByText(`${answer.buyers.length} rows copied`).waitFor({ state: 'attached' });
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const lines = csv.split('\r\n');
  expect(lines).toHaveLength(answer.buyers.length + 1);
  expect(lines[0]).toMatch(/^"email","name","orders","order_total_[A-Z]{3}"/);
  for (const [index, { email }] of answer.buyers.entries()) expect(lines[index + 1]).toContain(email);
});

test('loads the other buyers by the cursor of the answer, without a gap', async () => {
  const { client, frame, calls, answer } = await openBuyers({ ...everyone, limit: 5 });
  expect(answer.buyers).toHaveLength(5);
  await frame.getByRole('button', { name: 'Load more' }).dblclick();
  await frame.getByText(`${answer.totals.buyers} buyers loaded`, { exact: true }).waitFor({ state: 'attached' });
  expect(calls).toHaveLength(1);
  expect(at(calls, 0).args).toMatchObject({ ...everyone, cursor: answer.next_cursor });
  expect(await frame.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  const whole = (await client.call('find_buyers', { ...everyone, limit: 500 })).structuredContent as unknown as Shown;
  const rows = await copiedRows(frame, whole.buyers.length);
  expect(rows.map(firstCell)).toEqual(whole.buyers.map(({ email }) => email));
});

test('replaces the rows of an answer that was incomplete', async () => {
  const { frame } = await openBuyers({ ...everyone, max_requests: 3 });
  await expect.poll(() => frame.locator('.summary').innerText()).toMatch(/^Incomplete: /);
  const more = frame.getByRole('button', { name: 'Load more' });
  await more.click();
  await expect.poll(() => frame.locator('.summary').innerText()).not.toMatch(/^Incomplete: /);
  const count = Number((await frame.getByText(/buyers loaded$/).textContent())?.split(' ')[0]);
  const emails = await copiedRows(frame, count);
  expect(new Set(emails).size).toBe(emails.length);
});

test('opens the profile of a student, and goes back', async () => {
  const { client, frame, answer, heights } = await openBuyers();
  const { email, name } = at(answer.buyers, 0);
  await frame.getByRole('button', { name, exact: true }).click();
  await frame.getByRole('button', { name: 'Back to the buyers' }).waitFor();
  const { structuredContent } = await client.call('student_profile', { email });
  const { holds } = structuredContent as { holds: { title: string }[] };
  await expect.poll(() => frame.locator('h1').innerText()).toBe('Student');
  await expect.poll(() => frame.locator('.summary').innerText()).toContain(name);
  expect(at(await names(frame), 0)).toBe(at(holds, 0).title);
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('back');
  await frame.page().keyboard.press('Enter');
  await frame.getByRole('searchbox').waitFor();
  expect(at(await names(frame), 0)).toBe(name);
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
});

test('sorts totals by currency, the usual one first, and reads values that all rows share', async () => {
  const rows = [
    { email: 'a@example.com', amount: '9.00' },
    { email: 'b@example.com', amount: { EUR: '500.00' } },
    { email: 'c@example.com', amount: '80.00' },
    { email: 'd@example.com', amount: { EUR: '90.00', USD: '10.00' } },
    { email: 'e@example.com', amount: { BRL: '700.00' } },
  ];
  const totals = { buyers: 5, orders: 10, order_total: { USD: '99.00', EUR: '590.00', BRL: '700.00' } };
  const structuredContent = { totals, currency: 'USD', defaults: { orders: 2, date: '2026-11-18' }, buyers: rows };
  const result = { content: [], structuredContent };
  const { frame, page } = await openBuyers({}, { result, displayMode: 'fullscreen' });
  const heading = frame.getByRole('columnheader', { name: 'Total' }).getByRole('button');
  await heading.click();
  await heading.click();
  expect((await names(frame)).map((email) => email.charAt(0))).toEqual(['c', 'd', 'a', 'b', 'e']);
  await copiedRows(frame, 5);
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  expect(csv.split('\r\n')[1]).toBe('"c@example.com",,2,,,80.00,"2026-11-18",,');
});

test('shows who was granted a product, without sums, and counts that are bounds', async () => {
  const totals = { counts_are: 'at least', holders: 2, orders: 3, granted: 3 };
  const buyers = [{ email: 'a@example.com', name: 'Ana', orders: 2 }, { email: 'b@example.com' }];
  const structuredContent = { totals, buyers, granted_to: ['Ana'], coverage: { complete: false, pages_left: 2 } };
  const { frame } = await openBuyers({ granted_only: true }, { result: { content: [], structuredContent } });
  const summary = await frame.locator('.summary').innerText();
  expect(summary).toMatch(/^Incomplete: at least 2 holders · at least 3 orders/);
  expect(summary).not.toContain('buyers');
  await expect.poll(() => frame.locator('.notes').innerText()).toContain('2 pages of orders not read yet');
  expect(await names(frame)).toEqual(['Ana', 'b@example.com']);
});

test('shows seven buyers within 500 pixels, without scrolling', async () => {
  const { frame, heights } = await openBuyers();
  await expect.poll(() => rowsInSight(frame)).toBeGreaterThanOrEqual(7);
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
});

test('has no buttons that need a tool if the client lets views call none, and says why', async () => {
  const { frame, calls } = await openBuyers({ ...everyone, limit: 5 }, { noTools: true });
  expect(await frame.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  expect(await frame.locator('tbody button').count()).toBe(0);
  await expect.poll(() => frame.locator('.notes').innerText()).toContain('does not let views call tools');
  expect(await frame.getByRole('button', { name: 'Copy as CSV' }).count()).toBe(1);
  expect(calls).toEqual([]);
});

test('shows an empty answer, an error and a cancelled call', async () => {
  const { frame, client, send, page } = await openBuyers({ created_before: '2001-01-01' });
  await expect.poll(() => frame.locator('tbody').innerText()).toBe('No buyer matches.');
  await expect.poll(() => frame.locator('.summary').innerText()).toContain('0 buyers');
  await send(await client.call('find_buyers', { product: 'no such product at all' }));
  await frame.getByRole('alert').waitFor();
  await expect.poll(() => frame.getByRole('alert').innerText()).toMatch(/^(not_found|invalid_input): /);
  await page.evaluate(() => window.host.cancel('the person pressed stop'));
  await expect.poll(() => frame.locator('h1').innerText()).toBe('Cancelled');
});

test('shows the error of a tool that the view calls, and stays usable', async () => {
  const { client } = await startServer(academy);
  const broken = {
    ...client,
    call: async (name: string, args?: Record<string, unknown>) =>
      args?.cursor === undefined
        ? await client.call(name, args)
        : await client.call(name, { ...args, cursor: 'wrong' }),
  };
  const { frame } = await openView({
    client: broken,
    tool: 'find_buyers',
    args: { ...everyone, limit: 5 },
  });
  await frame.getByRole('button', { name: 'Load more' }).click();
  await frame.getByRole('alert').waitFor();
  await expect.poll(() => frame.getByRole('alert').innerText()).toContain('invalid_input');
  expect(await names(frame)).not.toEqual([]);
});

test('leaves the full screen from the profile of a student too', async () => {
  const { frame, answer } = await openBuyers();
  await frame.getByRole('button', { name: at(answer.buyers, 0).name, exact: true }).click();
  await frame.getByRole('button', { name: 'Back to the buyers' }).waitFor();
  await frame.getByRole('button', { name: 'Full screen', exact: true }).click();
  await frame.getByRole('button', { name: 'Exit full screen' }).click();
  await frame.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
});

test('fills the screen on request', async () => {
  const { frame, page, answer } = await openBuyers();
  await frame.getByRole('button', { name: 'Full screen' }).click();
  await frame.getByRole('button', { name: 'Exit full screen' }).waitFor();
  const last = at(answer.buyers, answer.buyers.length - 1);
  await toEnd(frame);
  await frame.getByText(last.email).waitFor();
  expect(await page.evaluate(() => document.querySelector('iframe')?.offsetHeight)).toBe(700);
  await frame.getByRole('button', { name: 'Exit full screen' }).click();
  await expect.poll(() => page.evaluate(() => document.querySelector('iframe')?.offsetHeight)).toBeLessThan(501);
});
