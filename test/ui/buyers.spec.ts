import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import { openView } from './host/host.ts';
import { sharedBrowser, startServer } from './setup.ts';

const everyone = { period: 'all_time' };
const academy = { students: 60, orders: 300 };

interface Shown {
  buyers: { email: string; name: string; orders?: number }[];
  totals: { buyers: number; order_total: Record<string, string> };
  next_cursor?: string;
}

/** A row without a number has one order. */
const ordersOf = ({ orders = 1 }: Shown['buyers'][number]) => orders;

const names = (frame: Frame) => frame.locator('tbody tr td:first-child .line:first-child').allInnerTexts();

/** The lines that the button copies, without the heading. */
async function copiedRows(frame: Frame, count: number): Promise<string[]> {
  await frame.getByRole('button', { name: 'Copy as CSV' }).click();
  await frame.getByText(`${count} rows copied`).waitFor({ state: 'attached' });
  const csv = await frame.page().evaluate(() => navigator.clipboard.readText());
  return csv.split('\r\n').slice(1);
}

async function open(args: Record<string, unknown> = everyone, options: object = {}) {
  const { client } = await startServer(academy);
  const result = await client.call('find_buyers', args);
  const answer = result.structuredContent as unknown as Shown;
  const view = await openView(await sharedBrowser(), { client, tool: 'find_buyers', args, result, ...options });
  await view.frame.getByRole('table').waitFor();
  return { client, answer, ...view };
}

test('shows the buyers and totals of the answer, page after page, within 500 pixels', async () => {
  const { frame, answer, heights, problems } = await open();
  const { totals, buyers } = answer;
  const [currency = '', sum = ''] = at(Object.entries(totals.order_total), 0);
  const summary = await frame.locator('.summary').innerText();
  expect(summary).toContain(`${totals.buyers} buyers`);
  expect(summary.replaceAll(',', '')).toContain(`${sum} ${currency}`);
  const seen = await names(frame);
  while (await frame.getByRole('button', { name: 'Next' }).isEnabled()) {
    await frame.getByRole('button', { name: 'Next' }).click();
    seen.push(...(await names(frame)));
  }
  expect(seen).toEqual(buyers.map(({ name, email }) => name || email));
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
  expect(problems).toEqual([]);
});

test('sorts by a column, with the mouse and with the keyboard', async () => {
  const { frame, answer, problems } = await open();
  const expected = answer.buyers.toSorted((one, other) => ordersOf(one) - ordersOf(other));
  const heading = frame.getByRole('columnheader', { name: 'Orders' });
  await heading.getByRole('button').click();
  expect(await heading.getAttribute('aria-sort')).toBe('ascending');
  const first = frame.locator('tbody tr:first-child td:nth-child(2)');
  expect(await first.innerText()).toBe(String(ordersOf(at(expected, 0))));
  await frame.page().keyboard.press('Enter');
  expect(await heading.getAttribute('aria-sort')).toBe('descending');
  expect(await first.innerText()).toMatch(new RegExp(`^${expected.at(-1)?.orders ?? 1}\\b`));
  expect(problems).toEqual([]);
});

test('filters by name and email, and says that nothing matches', async () => {
  const { frame, answer, problems } = await open();
  const { email, name } = at(answer.buyers, 7);
  const filter = frame.getByRole('searchbox');
  await filter.fill(email.toUpperCase());
  expect(await names(frame)).toEqual([name || email]);
  await filter.fill('nobody has this name');
  expect(await frame.locator('tbody').innerText()).toBe('No buyer matches.');
  expect(problems).toEqual([]);
});

test('copies the rows as CSV, as they are filtered and sorted', async () => {
  const { frame, page, answer, problems } = await open();
  await frame.getByRole('button', { name: 'Copy as CSV' }).click();
  await frame.getByText(`${answer.buyers.length} rows copied`).waitFor({ state: 'attached' });
  const csv = await page.evaluate(() => navigator.clipboard.readText());
  const lines = csv.split('\r\n');
  expect(lines).toHaveLength(answer.buyers.length + 1);
  expect(lines[0]).toMatch(/^email,name,orders,order_total_[A-Z]{3}/);
  for (const [index, { email }] of answer.buyers.entries()) expect(lines[index + 1]).toContain(email);
  expect(problems).toEqual([]);
});

test('loads the other buyers by the cursor of the answer, without a gap', async () => {
  const { client, frame, calls, answer, problems } = await open({ ...everyone, limit: 5 });
  expect(answer.buyers).toHaveLength(5);
  await frame.getByRole('button', { name: 'Load more' }).dblclick();
  await frame.getByText(`${answer.totals.buyers} buyers loaded`, { exact: true }).waitFor({ state: 'attached' });
  expect(calls).toHaveLength(1);
  expect(at(calls, 0).args).toMatchObject({ ...everyone, cursor: answer.next_cursor });
  expect(await frame.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  const whole = (await client.call('find_buyers', { ...everyone, limit: 500 })).structuredContent as unknown as Shown;
  const rows = await copiedRows(frame, whole.buyers.length);
  expect(rows.map((line) => line.split(',')[0])).toEqual(whole.buyers.map(({ email }) => email));
  expect(problems).toEqual([]);
});

test('replaces the rows of an answer that was incomplete', async () => {
  const { frame, problems } = await open({ ...everyone, max_requests: 2 });
  expect(await frame.locator('.summary').innerText()).toMatch(/^Incomplete: /);
  const more = frame.getByRole('button', { name: 'Load more' });
  await more.click();
  await expect.poll(() => frame.locator('.summary').innerText()).not.toMatch(/^Incomplete: /);
  const count = Number((await frame.getByText(/buyers loaded$/).textContent())?.split(' ')[0]);
  const emails = await copiedRows(frame, count);
  expect(new Set(emails).size).toBe(emails.length);
  expect(problems).toEqual([]);
});

test('opens the profile of a student, and goes back', async () => {
  const { client, frame, answer, heights, problems } = await open();
  const { email, name } = at(answer.buyers, 0);
  await frame.getByRole('button', { name, exact: true }).click();
  await frame.getByRole('button', { name: 'Back to the buyers' }).waitFor();
  const { structuredContent } = await client.call('student_profile', { email });
  const { holds } = structuredContent as { holds: { title: string }[] };
  expect(await frame.locator('h1').innerText()).toBe(name);
  expect(at(await names(frame), 0)).toBe(at(holds, 0).title);
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('back');
  await frame.page().keyboard.press('Enter');
  await frame.getByRole('searchbox').waitFor();
  expect(at(await names(frame), 0)).toBe(name);
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
  expect(problems).toEqual([]);
});

test('has no buttons that need a tool if the client lets views call none, and says why', async () => {
  const { frame, calls, problems } = await open({ ...everyone, limit: 5 }, { noTools: true });
  expect(await frame.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  expect(await frame.locator('tbody button').count()).toBe(0);
  expect(await frame.locator('.notes').innerText()).toContain('does not let views call tools');
  expect(await frame.getByRole('button', { name: 'Copy as CSV' }).count()).toBe(1);
  expect(calls).toEqual([]);
  expect(problems).toEqual([]);
});

test('shows an empty answer, an error and a cancelled call', async () => {
  const { frame, client, send, page, problems } = await open({ created_before: '2001-01-01' });
  expect(await frame.locator('tbody').innerText()).toBe('No buyer matches.');
  expect(await frame.locator('.summary').innerText()).toContain('0 buyers');
  await send(await client.call('find_buyers', { product: 'no such product at all' }));
  await frame.getByRole('alert').waitFor();
  expect(await frame.getByRole('alert').innerText()).toMatch(/^(not_found|invalid_input): /);
  await page.evaluate(() => window.host.cancel('the person pressed stop'));
  await expect.poll(() => frame.locator('h1').innerText()).toBe('Cancelled');
  expect(problems).toEqual([]);
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
  const { frame, problems } = await openView(await sharedBrowser(), {
    client: broken,
    tool: 'find_buyers',
    args: { ...everyone, limit: 5 },
  });
  await frame.getByRole('button', { name: 'Load more' }).click();
  await frame.getByRole('alert').waitFor();
  expect(await frame.getByRole('alert').innerText()).toContain('invalid_input');
  expect(await names(frame)).not.toEqual([]);
  expect(problems).toEqual([]);
});

test('fills the screen on request, where all rows scroll', async () => {
  const { frame, page, answer, problems } = await open();
  await frame.getByRole('button', { name: 'Full screen' }).click();
  await frame.getByRole('button', { name: 'Exit full screen' }).waitFor();
  expect(await frame.getByRole('button', { name: 'Next' }).count()).toBe(0);
  expect(await frame.getByRole('table').getAttribute('aria-rowcount')).toBe(String(answer.buyers.length + 1));
  const last = at(answer.buyers, answer.buyers.length - 1);
  await frame.locator('.scroller').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
  await frame.getByText(last.email).waitFor();
  expect(await page.evaluate(() => document.querySelector('iframe')?.offsetHeight)).toBe(700);
  await frame.getByRole('button', { name: 'Exit full screen' }).click();
  await frame.getByRole('button', { name: 'Next' }).waitFor();
  expect(problems).toEqual([]);
});
