import type { Frame } from 'playwright-core';
import { expect, test } from 'vitest';
import { at } from '../support/academy.ts';
import type { EraClient } from '../support/eras.ts';
import { openView } from './host/host.ts';
import { startServer } from './setup.ts';

const academy = { students: 60, orders: 300 };
const byDay = { period: 'last_30_days', group_by: 'day' };

interface Shown {
  groups: { key: string; label?: string; orders: number; revenue?: Record<string, string> }[];
  totals: { revenue: Record<string, string> };
}

async function open(args: Record<string, unknown> = byDay, options: object = {}) {
  const { client } = await startServer(academy);
  const result = await client.call('sales_report', args);
  const answer = result.structuredContent as unknown as Shown;
  const view = await openView({ client, tool: 'sales_report', args, result, ...options });
  return { client, answer, ...view };
}

/** "27 Oct 2026", as people read a day. */
const dayText = (key: string) => new Date(`${key}T00:00:00Z`).toUTCString().replace(/^\w+, 0?(.+) 00:.*$/, '$1');

const columns = (frame: Frame) => frame.locator('.chart li');

const choice = (view: Awaited<ReturnType<typeof open>>, name: string) => view.frame.getByRole('combobox', { name });

test('draws a bar for each day with its exact value', async () => {
  const view = await open();
  const { frame, answer, heights } = view;
  expect(await columns(frame).count()).toBe(answer.groups.length);
  const currency = await choice(view, 'In').inputValue();
  for (const [index, { key, revenue, orders }] of answer.groups.entries()) {
    const column = columns(frame).nth(index);
    const said = (await column.getAttribute('title'))?.replaceAll(',', '');
    expect(said).toContain(dayText(key));
    expect(said).toContain(`: ${revenue?.[currency] ?? '0'} ${currency} ${orders} order`);
    expect((await column.locator('.status').textContent())?.replaceAll(',', '')).toBe(said);
  }
  expect(Math.max(...(await heights()))).toBeLessThanOrEqual(500);
});

test('the height of the bars is in proportion to their values', async () => {
  const view = await open();
  const currency = await choice(view, 'In').inputValue();
  const heights = await view.frame
    .locator('.chart .bar')
    .evaluateAll((bars) => bars.map((bar) => Number.parseFloat((bar as HTMLElement).style.height)));
  const values = view.answer.groups.map(({ revenue }) => Number(revenue?.[currency] ?? 0));
  const scale = Math.max(...heights) / Math.max(...values);
  for (const [index, value] of values.entries()) expect(at(heights, index)).toBeCloseTo(value * scale, 3);
});

test('compares with as many days before as a thin line, when asked', async () => {
  const view = await open({ period: 'last_7_days', group_by: 'day' });
  const { frame, client } = view;
  const currency = await choice(view, 'In').inputValue();
  await frame.getByRole('button', { name: 'Compare' }).click();
  await frame.locator('.chart .before').first().waitFor();
  const first = view.answer.groups.map(({ key }) => key).toSorted()[0] ?? '';
  const from = new Date(Date.parse(first) - 7 * 86_400_000).toISOString().slice(0, 10);
  const earlier = { group_by: 'day', created_after: from, created_before: first };
  const { structuredContent } = await client.call('sales_report', earlier);
  const sum = (structuredContent as unknown as Shown).totals.revenue[currency] ?? '0';
  const notes = (await frame.locator('.notes').innerText()).replaceAll(',', '');
  expect(notes).toContain(`Line: the period before ${sum} ${currency}`);
  const points = await frame.locator('.chart .before polyline').getAttribute('points');
  expect(points?.split(' ')).toHaveLength(7);
  expect(await frame.getByRole('button', { name: 'Compare' }).count()).toBe(0);
});

test('compares weeks from a Monday alone: else the period before has one week more, and another length', async () => {
  const monday = new Date(Date.now() - (35 + ((new Date().getUTCDay() + 6) % 7)) * 86_400_000);
  for (const [days, offered] of [
    [0, 1],
    [1, 0],
  ] as const) {
    const created_after = new Date(monday.getTime() + days * 86_400_000).toISOString().slice(0, 10);
    const { frame } = await open({ created_after, group_by: 'week' });
    expect(await frame.getByRole('button', { name: 'Compare' }).count(), created_after).toBe(offered);
  }
});

test('shows the same figures as a table that sorts', async () => {
  const view = await open();
  const { frame } = view;
  await frame.getByRole('button', { name: 'Table' }).click();
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('toggle');
  const heading = frame.getByRole('columnheader', { name: 'Revenue' });
  await heading.getByRole('button').click();
  await heading.getByRole('button').click();
  const currency = await choice(view, 'In').inputValue();
  const most = view.answer.groups.toSorted(
    (one, other) => Number(other.revenue?.[currency] ?? 0) - Number(one.revenue?.[currency] ?? 0),
  );
  await expect
    .poll(() => frame.locator('tbody tr:first-child td:first-child').innerText())
    .toContain(dayText(at(most, 0).key));
  await frame.getByRole('button', { name: 'Chart' }).click();
  await frame.locator('.chart').waitFor();
});

test('calls the tool for another grouping and for another period', async () => {
  const view = await open({ ...byDay, include_granted: true });
  const { client, frame, calls } = view;
  await choice(view, 'By').selectOption('country');
  await frame.locator('.bars').waitFor();
  const first = { ...byDay, include_granted: true, group_by: 'country' };
  expect(at(calls, 0)).toEqual({ name: 'sales_report', args: first });
  await choice(view, 'Period').selectOption('this_year');
  await expect.poll(() => calls.length).toBe(2);
  const asked = { include_granted: true, group_by: 'country', period: 'this_year' };
  expect(at(calls, 1).args).toEqual(asked);
  const { groups } = (await client.call('sales_report', asked)).structuredContent as unknown as Shown;
  await choice(view, 'In').selectOption('orders');
  const most = groups.toSorted((one, other) => other.orders - one.orders);
  await expect.poll(() => frame.locator('.bars .amount').first().innerText()).toBe(`${at(most, 0).orders} orders`);
  for (const group of ['day', 'week', 'month', 'product']) {
    await choice(view, 'By').selectOption(group);
    await expect.poll(() => calls.at(-1)?.args.group_by).toBe(group);
    await expect.poll(() => frame.locator('body').getAttribute('aria-busy')).toBe('false');
  }
  expect(await frame.getByRole('alert').isVisible()).toBe(false);
});

test('replaces chosen dates by a period, and names them until then', async () => {
  const view = await open({ created_after: '2026-01-01', created_before: '2026-03-01', group_by: 'month' });
  await expect.poll(() => choice(view, 'Period').locator('option:checked').innerText()).toBe('Chosen dates');
  await choice(view, 'Period').selectOption('last_month');
  await expect.poll(() => view.calls.length).toBe(1);
  expect(at(view.calls, 0).args).toEqual({ group_by: 'month', period: 'last_month' });
});

test('shows an empty period, and an error of the tool as it is', async () => {
  const view = await open({ created_before: '2001-01-01', group_by: 'product' });
  await expect.poll(() => view.frame.locator('tbody').innerText()).toBe('Nothing was sold in this period.');
  await view.send(await view.client.call('sales_report', { group_by: 'day', created_after: '1990-01-01' }));
  await expect.poll(() => view.frame.getByRole('alert').innerText()).toMatch(/^invalid_input: /);
});

test('keeps chart, currency and table in a client that lets views call no tool, and says why the rest is missing', async () => {
  const view = await open(byDay, { noTools: true });
  expect(await choice(view, 'By').count()).toBe(0);
  expect(await choice(view, 'Period').count()).toBe(0);
  expect(await choice(view, 'In').count()).toBe(1);
  await expect.poll(() => view.frame.locator('.notes').innerText()).toContain('does not let views call tools');
});

test('names the last day of a period that ends at midnight, and takes sums in one currency', async () => {
  const period = { from: '2026-11-09T00:00:00-03:00', to: '2026-11-16T00:00:00-03:00', timezone: 'America/Bahia' };
  const groups = [
    { key: 'course 1', title: 'One', order_total: '12.50' },
    { key: 'course 2', amount: { EUR: '3.00', constructor: '1.00' }, orders: 1 },
  ];
  const totals = { buyers: 3, orders: 3, revenue: { USD: '12.50', EUR: '3.00' } };
  const unsold = { 'course 3': 'Three', 'course 4': '' };
  const facts = { period, totals, unsold, groups_total: 5, currency: 'USD', defaults: { orders: 2 } };
  const structuredContent = { ...facts, group_by: 'product', groups };
  const view = await open({ group_by: 'product' }, { result: { content: [], structuredContent } });
  await expect
    .poll(() => view.frame.locator('.summary').innerText())
    .toContain('2026-11-09 to 2026-11-15 (America/Bahia)');
  await expect
    .poll(() => view.frame.locator('.notes').innerText())
    .toMatch(/2 of 5 groups loaded\.[\s\S]*Without a sale: Three, course 4\./);
  await expect.poll(() => view.frame.locator('.bars li').first().innerText()).toMatch(/^One\s+12\.50 USD, 2 orders/);
});

test('names the lighter bar, the sum of the bars and the days as people read them', async () => {
  const { frame } = await open();
  const notes = await frame.locator('.notes').innerText();
  expect(notes).toMatch(/In the bars: [\d,.]+ [A-Z]{3}\./);
  expect(notes).not.toMatch(/part(ial)?: /i);
  if ((await frame.locator('.chart .partial').count()) > 0)
    expect(notes).toMatch(/Lighter bars|lighter bar is today so far|No order today so far/);
  for (const label of await frame.locator('.chart .label').allTextContents())
    expect(label).toMatch(/^\d{1,2} [A-Z][a-z]{2}( \d{4})?$/);
});

test('names no lighter bar on a day without an order yet', async () => {
  const period = { from: '2026-11-09T00:00:00Z', to: '2026-11-10T12:00:00Z', running: true, timezone: 'UTC' };
  const groups = [
    { key: '2026-11-09', orders: 1, buyers: 1, revenue: '12.50' },
    { key: '2026-11-10', orders: 0, buyers: 0, revenue: '0.00', partial: true },
  ];
  const totals = { buyers: 1, orders: 1, revenue: { USD: '12.50' } };
  const note = 'Partial: 2026-11-10, the period ends within it.';
  const structuredContent = { period, totals, note, group_by: 'day', groups_total: 2, currency: 'USD', groups };
  const { frame } = await open(byDay, { result: { content: [], structuredContent } });
  const notes = await frame.locator('.notes').innerText();
  expect(notes).toContain('No order today so far.');
  expect(notes).not.toContain('ighter bar');
});

test('keeps "so far" on the line of its date', async () => {
  const { frame } = await open();
  expect(await frame.locator('.summary').textContent()).toMatch(/\d\u00a0so\u00a0far$/);
});

// Answers that arrive late or in another order than usual, and where an answer comes from.

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
  const view = await openView({ client: slow.client, tool: 'sales_report', args });
  const { frame, calls } = view;
  await frame.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => calls.length).toBe(1);
  await frame.getByRole('combobox', { name: 'By' }).selectOption('month');
  await frame.locator('.chart').waitFor();
  const months = await columns(frame).count();
  slow.release();
  await expect.poll(() => frame.locator('body').getAttribute('aria-busy')).toBe('false');
  await frame.getByRole('combobox', { name: 'In' }).selectOption('orders');
  expect(await columns(frame).count()).toBe(months);
  expect(await frame.getByRole('combobox', { name: 'By' }).inputValue()).toBe('month');
});

test('days run from left to right, however the assistant has sorted them', async () => {
  const { client } = await startServer(academy);
  const args = { period: 'last_7_days', group_by: 'day', sort: 'revenue' };
  const { frame } = await openView({ client, tool: 'sales_report', args });
  await columns(frame).first().waitFor();
  const said = await columns(frame).evaluateAll((all) => all.map((column) => (column as HTMLElement).title));
  // "20 Nov 2026", or "20 Nov 2026 (part)".
  const days = said.map((text) => Date.parse(text.split(/:| \(/)[0] ?? ''));
  expect(new Set(days).size).toBe(7);
  expect(days).toEqual(days.toSorted());
});

test('a second row that is pressed while a profile loads does not replace it', async () => {
  const { client } = await startServer(academy);
  const slow = holding(client, (name) => name === 'student_profile');
  const { frame, calls } = await openView({ client: slow.client, tool: 'find_buyers' });
  const rows = frame.locator('tbody button');
  const first = await rows.nth(0).innerText();
  await rows.nth(0).click();
  await rows.nth(1).click();
  slow.release();
  await frame.locator('#back').waitFor();
  await expect.poll(() => frame.locator('.summary').innerText()).toContain(first);
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
    const { frame } = await openView({ client, tool });
    expect(await frame.locator('.notes').innerText(), tool).toMatch(
      /From the mirror, (as of|new orders up to) 20\d\d-\d\d-\d\d \d\d:\d\d UTC/,
    );
  }
});
