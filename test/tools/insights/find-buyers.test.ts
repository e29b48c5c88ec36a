import { expect, test } from 'vitest';
import { type Row, row, rows } from '../../support/academy.ts';
import { connect, startAcademy, type ToolAnswer } from '../../support/connect.ts';
import { orderNumber, startPaging } from '../../support/paging-server.ts';
import { expectRefusal, requestsOf } from '../../support/refusal.ts';
import { buyers, counted, type RawOrder, rawOrders, sums } from '../../support/sales.ts';
import { everyPart } from '../../support/truth.ts';

const course = { product: '7', product_type: 'course' };

const emailsOf = (list: unknown) => rows(list ?? []).map(({ email }) => String(email).toLowerCase());

function summed(amounts: Record<string, string>): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([currency, sum]) => [currency, Number(sum)]));
}

function expectCount(answer: Row, { kept, granted }: { kept: readonly RawOrder[]; granted: number }): void {
  const { order_total, ...counts } = row(answer.totals);
  expect(counts).toMatchObject({ buyers: buyers(kept).length, orders: kept.length, granted_excluded: granted });
  expect(summed(row(order_total) as Record<string, string>)).toEqual(summed(sums(kept)));
}

test('750 of 20,000 orders are counted in one call and eleven requests', async () => {
  const { sandbox, call } = await startAcademy({ orders: 20_000, students: 3_000 });
  const raw = await rawOrders(sandbox);
  const after = raw[749]?.created_at ?? '';
  const expected = counted(raw, { from: Date.parse(after), to: Date.now(), list: 'courses', id: 7 });
  expect(raw.filter(({ created_at }) => created_at >= after)).toHaveLength(750);

  const answer = await call('find_buyers', { ...course, created_after: after, limit: 500 });
  const found = answer.structured ?? {};
  expect(answer.isError, answer.text).toBe(false);
  expectCount(found, expected);
  expect(row(found.coverage).complete).toBe(true);
  expect(emailsOf(found.buyers)).toEqual(buyers(expected.kept));
  expect(Number(requestsOf(answer))).toBeLessThanOrEqual(11);
});

test('the cursor returns each further buyer once, without reading a page again', async () => {
  const { sandbox, call } = await startAcademy({ orders: 1_500, students: 200 });
  const expected = counted(await rawOrders(sandbox), { to: Date.now(), list: 'courses', id: 7 });
  const parts = await everyPart(call, 'find_buyers', { ...course, limit: 20 });
  for (const { structured } of parts) expectCount({ totals: structured?.totals }, expected);
  for (const part of parts.slice(1)) expect(requestsOf(part)).toBe(0);
  const found = parts.flatMap(({ structured }) => emailsOf(structured?.buyers));
  expect(found).toEqual(buyers(expected.kept));
});

test('an exhausted budget returns a partial answer, says so first, and the last part is complete', async () => {
  const { sandbox, call } = await startAcademy({ orders: 1_500, students: 200 });
  const expected = counted(await rawOrders(sandbox), { to: Date.now(), list: 'courses', id: 7 });
  const parts = await everyPart(call, 'find_buyers', { ...course, max_requests: 5 });
  const isWhole = ({ structured }: ToolAnswer) => row(structured?.coverage).complete === true;
  const part = parts.filter((answer) => !isWhole(answer));
  expect(part.length).toBeGreaterThan(1);
  for (const answer of part) {
    expect(answer.text).toMatch(/^Incomplete/);
    expect(Number(requestsOf(answer))).toBeLessThanOrEqual(5);
  }
  const [whole] = parts.filter(isWhole);
  expect(whole?.text).not.toMatch(/^Incomplete/);
  expectCount(whole?.structured ?? {}, expected);
});

test('a product is found by title, slug, id or part of the title, and an offer is a bundle', async () => {
  const { call } = await startAcademy();
  const meant = async (args: Row) => row((await call('find_buyers', args)).structured?.product);
  const sql = { product_type: 'course', id: 7, title: 'Data Analysis with SQL' };
  for (const product of ['Data Analysis with SQL', 'data analysis WITH sql', 'data-analysis-with-sql', 'Analysis w']) {
    expect(await meant({ product }), product).toEqual(sql);
  }
  expect(await meant({ product: 7, product_type: 'course' })).toEqual(sql);
  expect(await meant({ product: '2', product_type: 'offer' })).toMatchObject({ product_type: 'bundle', id: 2 });
});

test('several candidates are listed, and a product that cannot be bought is not found', async () => {
  const { call } = await startAcademy();
  const text = expectRefusal(await call('find_buyers', { product: 'at' }), 'ambiguous_product');
  expect(text).toContain('course 6 "Watercolour Basics" (watercolour-basics)');
  expect(text).toContain('bundle 1 "Data Path"');
  const byId = expectRefusal(await call('find_buyers', { product: 6 }), 'ambiguous_product');
  expect(byId).toContain('course 6');
  expect(byId).toContain('bundle 6');
  expectRefusal(await call('find_buyers', { product: 'no such thing' }), 'not_found');
  expect(expectRefusal(await call('find_buyers', { product: 'x', product_type: 'project' }), 'not_found')).toContain(
    'a project cannot be bought',
  );
});

test('a buyer of a bundle is a buyer of its course, and the row names the bundle', async () => {
  const { sandbox, call } = await startAcademy({ orders: 900, students: 150 });
  const raw = await rawOrders(sandbox);
  const { kept } = counted(raw, { to: Date.now(), list: 'courses', id: 7 });
  const { structured } = await call('find_buyers', { ...course, limit: 500, detail: 'full' });
  const isPaid = ({ status }: { status: string }) => status === 'paid' || status === 'wallet_executed';
  // Fewer than three orders of a bundle do not show what it contains.
  const named = (bundle: number, title: string) => {
    const listing = raw.filter((order) => isPaid(order) && order.bundles.some(({ id }) => id === bundle));
    return listing.length < 3 ? `perhaps ${title}` : title;
  };
  for (const buyer of rows(structured?.buyers)) {
    const own = kept.filter(({ user_email }) => user_email.toLowerCase() === String(buyer.email).toLowerCase());
    const titles = new Set(own.flatMap(({ bundles }) => bundles.map(({ id, title }) => named(id, title))));
    expect(buyer.via, String(buyer.email)).toBe(titles.size === 0 ? undefined : [...titles].join(', '));
    expect(buyer.order_ids).toEqual(own.map(({ id }) => id));
    expect(buyer.first_order_at).toBe(own.at(-1)?.created_at);
  }
});

test('contradictory arguments and bounds are refused before anything is sent', async () => {
  const { call } = await startAcademy();
  for (const wrong of [
    { products: ['8'] },
    { product: undefined, product_type: undefined, match: 'all' },
    { created_after: '0000-01-01' },
    { created_before: '0000-06-01' },
    { period: 'today', created_after: '2026-01-01' },
    { created_after: '2026-02-01', created_before: '2026-01-01' },
    { created_after: '2999-01-01' },
    { timezone: 'Europe/Lissabon' },
    { timezone: '+02:00' },
  ]) {
    const answer = await call('find_buyers', { ...course, ...wrong });
    expectRefusal(answer, 'invalid_input');
    expect(requestsOf(answer)).toBe(0);
  }
});

async function buyersAmong(records: Row[], total = records.length) {
  const { url } = await startPaging((page) => ({
    records: page === 1 ? records : [],
    meta: { total_pages: 1, total_orders: total, per_page: 100, current_page: page },
  }));
  const { call } = await connect({ ACADEMY_BASE_URL: url, ACADEMY_RATE_LIMIT: 'off' });
  const { structured, text } = await call('find_buyers', { product: '7', product_type: 'course' });
  const [first = ''] = text.split('\n', 1);
  return { totals: row(structured?.totals), coverage: row(structured?.coverage), first };
}

test('unreadable values of an order are counted, and the order is neither bought nor granted', async () => {
  const odd = [
    { ...orderNumber(2), amount: '49,90' },
    { ...orderNumber(3), amount: null },
    { ...orderNumber(4), courses: ['Seven'] },
  ];
  const { totals, coverage, first } = await buyersAmong([orderNumber(1), ...odd]);
  expect(totals).toMatchObject({
    orders: 1,
    granted_excluded: 0,
    unreadable_amounts: 2,
    order_total: { USD: '10.00' },
  });
  expect(coverage).toMatchObject({ complete: false, unreadable: { amounts: 2, products: 1 } });
  expect(first).toMatch(/^Incomplete \(the products of 1 order and 2 amounts could not be read\)/);
});

test('an amount below 0 is a refund and no purchase', async () => {
  const { totals, coverage, first } = await buyersAmong([orderNumber(1), { ...orderNumber(2), amount: '-10.00' }]);
  expect(totals).toMatchObject({ orders: 1, refunds: 1, order_total: { USD: '10.00' } });
  expect(coverage).toMatchObject({ complete: true });
  expect(first).toContain('1 with an amount below 0 (refunds) left out');
});

test('fewer distinct orders than the API counts make the answer incomplete, and it names both numbers', async () => {
  const { coverage, first } = await buyersAmong([orderNumber(1), orderNumber(2)], 5);
  expect(coverage).toMatchObject({ complete: false });
  expect(first).toMatch(/^Incomplete \(the API counts 5 orders and its pages showed 2\)/);
});
