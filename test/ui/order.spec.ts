import { expect, test } from 'vitest';
import type { EraClient } from '../support/eras.ts';
import { openView } from './host/host.ts';
import { sharedBrowser, startServer } from './setup.ts';

// Answers that arrive late or in another order than usual, and where an answer comes from.

const academy = { students: 60, orders: 300 };

/** A client whose calls of one kind wait until `release`. */
function holding(client: EraClient, isHeld: (name: string, args?: Record<string, unknown>) => boolean) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const call = async (name: string, args?: Record<string, unknown>) => {
    const result = await client.call(name, args);
    if (isHeld(name, args)) await released;
    return result;
  };
  return { client: { ...client, call }, release: () => release() };
}

test('more groups that arrive after another question are dropped', async () => {
  const { client } = await startServer(academy);
  const slow = holding(client, (_name, args) => args?.cursor !== undefined);
  const args = { group_by: 'product' };
  const view = await openView(await sharedBrowser(), { client: slow.client, tool: 'sales_report', args });
  const { frame, calls, problems } = view;
  await frame.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => calls.length).toBe(1);
  await frame.getByRole('combobox', { name: 'By' }).selectOption('month');
  await frame.getByRole('slider').waitFor();
  const months = await frame.locator('rect').count();
  slow.release();
  await expect.poll(() => frame.locator('body').getAttribute('aria-busy')).toBe('false');
  await frame.getByRole('combobox', { name: 'In' }).selectOption('orders');
  expect(await frame.locator('rect').count()).toBe(months);
  expect(await frame.getByRole('combobox', { name: 'By' }).inputValue()).toBe('month');
  expect(problems).toEqual([]);
});

test('days run from left to right, however the assistant has sorted them', async () => {
  const { client } = await startServer(academy);
  const args = { period: 'last_7_days', group_by: 'day', sort: 'revenue' };
  const { frame, page } = await openView(await sharedBrowser(), { client, tool: 'sales_report', args });
  const chart = frame.getByRole('slider');
  await chart.focus();
  await page.keyboard.press('Home');
  const days: string[] = [];
  for (let index = 0; index < 7; index += 1) {
    days.push((await chart.getAttribute('aria-valuetext'))?.slice(0, 10) ?? '');
    await page.keyboard.press('ArrowRight');
  }
  expect(new Set(days).size).toBe(7);
  expect(days).toEqual(days.toSorted());
});

test('a second row that is pressed while a profile loads does not replace it', async () => {
  const { client } = await startServer(academy);
  const slow = holding(client, (name) => name === 'student_profile');
  const { frame, calls } = await openView(await sharedBrowser(), { client: slow.client, tool: 'find_buyers' });
  const rows = frame.locator('tbody button');
  const first = await rows.nth(0).innerText();
  await rows.nth(0).click();
  await rows.nth(1).click();
  slow.release();
  await frame.locator('#back').waitFor();
  expect(await frame.locator('.summary').innerText()).toContain(first);
  expect(calls).toHaveLength(1);
});

test('an answer of the mirror says so, and as of when', async () => {
  const { client } = await startServer(academy, { ACADEMY_MIRROR: 'memory' });
  // The server fills the mirror once a client has the tools.
  await client.listTools();
  for (const tool of ['find_buyers', 'sales_report']) {
    const source = async () => {
      const { structuredContent } = await client.call(tool, {});
      return (structuredContent?.coverage as { source?: string } | undefined)?.source;
    };
    await expect.poll(source).toBe('mirror');
    const { frame, problems } = await openView(await sharedBrowser(), { client, tool });
    await frame.locator('.content > *').first().waitFor();
    expect(await frame.locator('.notes').innerText(), tool).toMatch(
      /From the mirror, (as of|new orders up to) 20\d\d-\d\d-\d\d \d\d:\d\d UTC/,
    );
    expect(problems).toEqual([]);
  }
});
