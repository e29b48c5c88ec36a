import { expect, test } from 'vitest';
import { startRewriting } from '../mirror/rewriting.ts';
import { startMirror, whenFilled } from '../mirror/start-mirror.ts';
import { rows } from '../support/academy.ts';
import { connect } from '../support/connect.ts';
import { exported, sorted, startExports } from '../support/exports.ts';
import { buyers, counted, rawOrders, sums } from '../support/sales.ts';
import { start, temporaryFolder } from '../support/sandbox.ts';
import { truths } from '../support/truth.ts';

test('find_buyers is exported with every buyer, whatever its limit', async () => {
  const academy = await startExports();
  const asked = { tool: 'find_buyers', arguments: { period: 'all_time', limit: 2, totals_only: true } };
  const { structured, header, records } = await exported(academy, asked);
  const { kept } = counted(await rawOrders(academy.sandbox), { to: Date.now() });
  expect(sorted(records.map(({ email }) => email?.toLowerCase()))).toEqual(sorted(buyers(kept)));
  const expected = sums(kept);
  for (const [currency, sum] of Object.entries(expected)) {
    const cells = records.map((record) => Number(record[`amount ${currency}`] ?? 0));
    expect(cells.reduce((one, other) => one + other, 0).toFixed(2)).toBe(sum);
  }
  expect(header.slice(0, 3)).toEqual(['email', 'name', 'orders']);
  expect(records.reduce((sum, { orders }) => sum + Number(orders), 0)).toBe(kept.length);
  expect(structured).toMatchObject({ complete: true, coverage: { complete: true } });
});

test('sales_report is exported with every group', async () => {
  const academy = await startExports();
  const asked = { tool: 'sales_report', arguments: { period: 'last_year', group_by: 'day' } };
  const { records, file } = await exported(academy, asked);
  expect(records.length).toBeGreaterThanOrEqual(365);
  expect(file).toMatch(/[/\\]sales_report-2/);
});

test('sales_report by product, of which an answer shows the ten largest, is exported with every product', async () => {
  const academy = await startExports();
  const { kept } = counted(await rawOrders(academy.sandbox), { to: Date.now() });
  const lists = ['courses', 'bundles', 'digital_products'] as const;
  const sold = new Set(kept.flatMap((order) => lists.flatMap((list) => order[list].map(({ id }) => `${list} ${id}`))));
  expect(sold.size).toBeGreaterThan(10);
  const { records } = await exported(academy, { tool: 'sales_report', arguments: { period: 'all_time' } });
  expect(new Set(records.map(({ key }) => key)).size).toBe(records.length);
  expect(records).toHaveLength(sold.size);
});

test('an export names the columns that members chose, also those that only this question has', async () => {
  const academy = await startExports();
  const named = async (tool: string, args: object) =>
    (await exported(academy, { tool, arguments: args })).structured.by_members;
  expect(await named('sales_report', { period: 'all_time', group_by: 'country' })).toEqual(['key']);
  expect(await named('sales_report', { period: 'all_time', group_by: 'month' })).toBeUndefined();
  expect(await named('find_buyers', { period: 'all_time' })).toEqual(expect.arrayContaining(['email', 'name']));
  expect(await named('list_students', {})).toEqual(expect.arrayContaining(['email', 'name', 'location']));
});

test('list_students is exported with every page', async () => {
  const academy = await startExports();
  const { records } = await exported(academy, { tool: 'list_students', arguments: { page: 2 } });
  const raw = await Promise.all(
    [1, 2, 3].map((page) => truths(academy.sandbox, `/api/v1/students?page=${page}`, 'students')),
  );
  expect(sorted(records.map(({ email }) => email))).toEqual(sorted(raw.flat().map(({ email }) => email)));
  expect(records).toHaveLength(120);
});

test('a tool is answered from the mirror where it covers the question', async () => {
  const academy = await startExports();
  await whenFilled(academy);
  const asked = { period: 'last_year', group_by: 'month' };
  const copied = await exported(academy, { tool: 'sales_report', arguments: asked });
  const plain = await connect({ ACADEMY_BASE_URL: academy.sandbox.url, ACADEMY_RATE_LIMIT: 'off' });
  const read = await plain.call('sales_report', asked);
  expect(copied.structured.coverage).toHaveProperty('source', 'mirror');
  expect(copied.records.map(({ key }) => key)).toEqual(rows(read.structured?.groups).map(({ key }) => key));
});

test('an incomplete result says so first, and in its name', async () => {
  // The mirror leaves orders without a time to the API.
  const undated = await start({ orders: 400, students: 120 });
  const url = await startRewriting(undated.url, { orders: (order) => ({ ...order, created_at: 'soon' }) });
  const academy = await startExports({ ACADEMY_BASE_URL: url });
  const asked = { tool: 'find_buyers', arguments: { period: 'all_time', max_requests: 2 } };
  const part = await exported(academy, asked);
  expect(part.text).toMatch(/^Incomplete/);
  expect(part.file).toMatch(/[/\\]find_buyers-incomplete-2/);
  expect(part.structured).toMatchObject({ complete: false, coverage: { complete: false } });
  expect(part.rows.length).toBeGreaterThan(0);
});

test('an export ends when the request limit is used up, with what was read', async () => {
  const folder = await temporaryFolder();
  const limits = { ACADEMY_RATE_LIMIT: '12', ACADEMY_RATE_SHARE: '1', ACADEMY_MAX_WAIT_MS: '3000' };
  const academy = await startMirror({ orders: 2_500, rateLimit: 12 }, { ...limits, ACADEMY_EXPORT_DIR: folder });
  const part = await exported(academy, { tool: 'find_buyers', arguments: { period: 'all_time' } });
  expect(part.text).toMatch(/^Incomplete/);
  expect(part.structured).toMatchObject({ complete: false, coverage: { stopped: expect.stringContaining('limit') } });
  expect(part.rows.length).toBeGreaterThan(0);
});
